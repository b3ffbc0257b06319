// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of a Markdown document that a command writes, between two comments.

/// The document with `text` as its block `name`, at its end if it has no such block.
pub fn replace(document: &str, name: &str, text: &str) -> String {
    let begin = format!("<!-- {name}: begin, made by cargo xtask -->\n");
    let end = format!("<!-- {name}: end -->\n");
    let block = format!("{begin}{text}{end}");
    let found = document.split_once(begin.as_str());
    let parts = found.and_then(|(head, rest)| Some((head, rest.split_once(end.as_str())?.1)));
    match parts {
        Some((head, tail)) => format!("{head}{block}{tail}"),
        None if document.is_empty() => block,
        None => format!("{}\n\n{block}", document.trim_end()),
    }
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn a_block_is_replaced_and_the_rest_of_the_document_stays() {
        let first = replace("# Title\n", "a", "one\n");
        let both = replace(&first, "b", "two\n");
        let after = replace(&both, "a", "three\n");
        assert_eq!(after, both.replace("one", "three"));
        assert!(after.starts_with("# Title\n\n<!-- a: begin"), "{after}");
        assert!(after.ends_with("two\n<!-- b: end -->\n"), "{after}");
    }
}
