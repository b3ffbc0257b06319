// SPDX-License-Identifier: MIT OR Apache-2.0
//! The page itself. Its texts and tables need no script; the two drawings do.

use std::fmt::Write;

use crate::calls::CallCounts;
use crate::event::Axis;
use crate::list::cut_text;
use crate::names::Names;

use super::data::data;
use super::hot::{HotFunction, hot};
use super::number::{duration, escaped, grouped, percent, shortened};
use super::source::Sources;
use super::{MAX_LOSSES, Report};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Characters of a name or a line of a source, at most.
const MAX_TEXT: usize = 200;

// Writing to a string never fails, so results of `write!` are ignored in this file.

/// The page.
pub fn page(report: &Report<'_>) -> String {
    let (functions, function_count) = hot(report);
    let (json, thinned) = data(report);
    let mut out = String::with_capacity(json.len() + (1 << 18));
    let title = escaped(&shortened(report.name, MAX_TEXT));
    let _ = write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <link rel=\"icon\" href=\"data:,\">\n\
         <title>{title}: trace report</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    );
    headline(&mut out, report, &title);
    search(&mut out);
    flame(&mut out);
    timeline(&mut out, report);
    hottest(&mut out, report, &functions, function_count);
    losses(&mut out, report);
    about(&mut out, report, &thinned);
    let _ = write!(
        out,
        "</main>\n<script type=\"application/json\" id=\"data\">{json}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    out
}

/// What is missing from the trace, as sentences.
fn missing(report: &Report<'_>) -> Vec<String> {
    let CallCounts {
        pathless,
        holes,
        gaps,
        losses,
        ..
    } = report.counts();
    let mut sentences = Vec::new();
    let mut add = |count: u64, one: &str, many: &str| {
        if count > 0 {
            let what = if count == 1 { one } else { many };
            sentences.push(format!("{} {what}", grouped(count)));
        }
    };
    add(
        losses,
        "place where trace was lost",
        "places where trace was lost",
    );
    add(
        gaps,
        "gap in which tracing was off",
        "gaps in which tracing was off",
    );
    add(
        holes,
        "stretch of code without an image, whose instructions are not counted",
        "stretches of code without an image, whose instructions are not counted",
    );
    add(
        pathless,
        "instruction whose path is not known",
        "instructions whose path is not known",
    );
    add(
        report.doubts,
        "place where the trace contradicts the images",
        "places where the trace contradicts the images",
    );
    sentences
}

fn headline(out: &mut String, report: &Report<'_>, title: &str) {
    let counts = report.counts();
    let missing = missing(report);
    let (begin, end) = report.span().unwrap_or_default();
    let span = duration(end - begin, report.axis(), report.frequency);
    let instructions = grouped(counts.instructions);
    let sources = report.sources.len();
    let _ = write!(
        out,
        "<header>\n<p class=\"kind\">Trace report</p>\n<h1>{title}</h1>\n<p class=\"lead\">\
         <b id=\"instructions\">{instructions}</b> instructions in <b id=\"functions\">{}</b> functions ran",
        grouped(report.functions())
    );
    if report.axis() != Axis::Instructions {
        let _ = write!(out, " within <b id=\"span\">{span}</b>");
    }
    let from = if sources == 1 {
        "one core"
    } else {
        "several cores"
    };
    let _ = writeln!(out, ", traced on {from}.</p>");
    if missing.is_empty() && counts.instructions > 0 {
        out.push_str(
            "<p class=\"verdict good\" id=\"verdict\">Complete: no losses, no gaps, and an image for \
             every instruction.</p>\n",
        );
    } else if counts.instructions == 0 {
        out.push_str(
            "<p class=\"verdict bad\" id=\"verdict\">Nothing could be followed: no instruction is \
             known.</p>\n",
        );
    } else {
        let _ = writeln!(
            out,
            "<p class=\"verdict bad\" id=\"verdict\">Not complete: {}.</p>",
            missing.join("; ")
        );
    }
    out.push_str("<dl class=\"cards\">\n");
    let mut card = |label: &str, value: String| {
        let _ = writeln!(out, "<div><dt>{label}</dt><dd>{value}</dd></div>");
    };
    card("Instructions", instructions);
    if report.axis() != Axis::Instructions {
        card("Time span", span);
    }
    card("Calls", grouped(counts.calls));
    card("Exceptions", grouped(counts.exceptions));
    card("Losses", grouped(counts.losses));
    card("Gaps", grouped(counts.gaps));
    card("Without image", grouped(counts.holes));
    card("Sources", grouped(sources as u64));
    out.push_str("</dl>\n</header>\n");
}

fn search(out: &mut String) {
    out.push_str(
        "<div class=\"search\"><label for=\"search\">Search functions</label>\
         <input id=\"search\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" \
         placeholder=\"part of a name\"><output id=\"found\"></output></div>\n",
    );
}

fn flame(out: &mut String) {
    out.push_str(
        "<section id=\"flame\">\n<h2>What ran, and who called it</h2>\n\
         <p>Each bar is a function, as wide as what it cost with all that it called. What it called is \
         below it. Choose a bar to enlarge it.</p>\n\
         <div class=\"tools\"><label>Width by <select id=\"metric\"></select></label>\
         <button type=\"button\" id=\"whole\">Whole trace</button></div>\n\
         <div class=\"drawing\"><canvas id=\"flames\" role=\"img\" aria-label=\"flame graph; the list of \
         hottest functions has its numbers\"></canvas></div>\n\
         <output class=\"detail\" id=\"flame-detail\"></output>\n\
         <noscript><p>The drawing needs JavaScript.</p></noscript>\n</section>\n",
    );
}

fn timeline(out: &mut String, report: &Report<'_>) {
    let unit = match (report.axis(), report.frequency) {
        (Axis::Ticks, Some(_)) => "seconds",
        (axis, _) => axis.unit(),
    };
    let _ = write!(
        out,
        "<section id=\"timeline\">\n<h2>What ran when</h2>\n\
         <p>From left to right, in {unit} from the beginning; callers are above what they called. Drag to \
         enlarge a part.</p>\n\
         <div class=\"tools\"><button type=\"button\" id=\"closer\">Closer</button>\
         <button type=\"button\" id=\"farther\">Farther</button>\
         <button type=\"button\" id=\"earlier\">Earlier</button>\
         <button type=\"button\" id=\"later\">Later</button>\
         <button type=\"button\" id=\"all\">All</button></div>\n\
         <div class=\"drawing\"><canvas id=\"lanes\" role=\"img\" aria-label=\"timeline of calls\"></canvas>\
         </div>\n<output class=\"detail\" id=\"lane-detail\"></output>\n\
         <noscript><p>The drawing needs JavaScript.</p></noscript>\n</section>\n"
    );
}

fn hottest(out: &mut String, report: &Report<'_>, functions: &[HotFunction], count: usize) {
    let all = report.counts().instructions;
    let symbols = report.symbols.of(None);
    let mut sources = Sources::of(symbols.files().iter().map(|file| file.path()));
    let _ = write!(
        out,
        "<section id=\"hottest\">\n<h2>Hottest functions</h2>\n\
         <p>By instructions of their own, without those that they called. Choose one for its lines. A call is \
         a branch with link, or another branch to the first instruction of another function; an exception is \
         none, and neither is what ran when tracing began.</p>\n\
         <div class=\"head\"><span>Function</span><span>Own</span><span>With calls</span>\
         <span class=\"wide\">Instructions</span><span class=\"wide\">Calls</span></div>\n"
    );
    for function in functions {
        let sum = &function.sum;
        let name = shortened(&report.symbols.name(sum.callee), MAX_TEXT);
        let own = percent(sum.own.instructions, all);
        let total = percent(sum.total.instructions, all);
        let _ = write!(
            out,
            "<details class=\"function\"><summary><span class=\"name\"><b>{}</b>",
            escaped(&name)
        );
        if let Some((file, line)) = &function.place {
            let file = file.rsplit('/').next().unwrap_or(file);
            let file = escaped(&shortened(file, MAX_TEXT));
            let _ = write!(out, " <small>{file}:{line}</small>");
        }
        let _ = writeln!(
            out,
            "</span><span class=\"share\"><i style=\"width:{own:.1}%\"></i>{own:.1} %</span>\
             <span>{total:.1} %</span><span class=\"wide\">{}</span><span class=\"wide\">{}</span>\
             </summary>",
            grouped(sum.own.instructions),
            grouped(sum.calls)
        );
        lines(out, report, function, &mut sources);
        out.push_str("</details>\n");
    }
    if functions.len() < count {
        let _ = writeln!(
            out,
            "<p>These are {} of {} functions.</p>",
            functions.len(),
            grouped(count as u64)
        );
    }
    out.push_str("</section>\n");
}

fn lines(out: &mut String, report: &Report<'_>, function: &HotFunction, sources: &mut Sources) {
    if function.lines.is_empty() {
        out.push_str("<p class=\"none\">No debug information has its lines.</p>\n");
        return;
    }
    let all = function.sum.own.instructions;
    out.push_str(
        "<div class=\"scroll\"><table>\n<tr><th>Instructions</th><th>Line</th><th></th></tr>\n",
    );
    let mut last = "";
    for (file, line, count) in &function.lines {
        if file != last {
            let name = escaped(&shortened(file, MAX_TEXT));
            let _ = writeln!(out, "<tr><td colspan=\"3\" class=\"file\">{name}</td></tr>");
            last = file;
        }
        let text = report
            .has_source
            .then(|| sources.line(file, *line))
            .flatten()
            .map(|text| escaped(&shortened(text, MAX_TEXT)))
            .unwrap_or_default();
        // The darker, the more of the function's instructions.
        let heat = (percent(*count, all) * 0.6).min(60.0);
        let _ = writeln!(
            out,
            "<tr style=\"--heat:{heat:.0}%\"><td>{}</td><td>{line}</td><td class=\"code\">{text}</td></tr>",
            grouped(*count)
        );
    }
    out.push_str("</table></div>\n");
    if function.left_out > 0 {
        let _ = writeln!(
            out,
            "<p class=\"none\">{} colder lines are left out.</p>",
            grouped(function.left_out as u64)
        );
    }
}

fn losses(out: &mut String, report: &Report<'_>) {
    out.push_str("<section id=\"losses\">\n<h2>What is missing</h2>\n");
    let missing = missing(report);
    if missing.is_empty() {
        out.push_str("<p>Nothing is missing.</p>\n</section>\n");
        return;
    }
    out.push_str("<ul>\n");
    for sentence in &missing {
        let _ = writeln!(out, "<li>{sentence}</li>");
    }
    out.push_str("</ul>\n");
    let collected = report.collected;
    if !collected.losses.is_empty() {
        let _ = write!(
            out,
            "<div class=\"scroll\"><table class=\"plain\">\n<tr><th>Time ({})</th><th>Instructions before</th>\
             <th>Source</th><th>What happened</th></tr>\n",
            report.axis().unit()
        );
        let (begin, _) = report.span().unwrap_or_default();
        for (event, cut) in &collected.losses {
            let text = cut_text(*cut);
            let _ = writeln!(
                out,
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                grouped(event.at.time.saturating_sub(begin)),
                grouped(event.at.instructions),
                escaped(&report.symbols.thread(&event.thread)),
                text.strip_prefix("lost: ").unwrap_or(text)
            );
        }
        out.push_str("</table></div>\n");
    }
    if collected.loss_count > collected.losses.len() as u64 {
        let _ = writeln!(
            out,
            "<p>These are the first {MAX_LOSSES} of {}.</p>",
            grouped(collected.loss_count)
        );
    }
    out.push_str("</section>\n");
}

fn about(out: &mut String, report: &Report<'_>, thinned: &[String]) {
    out.push_str("<section id=\"about\">\n<h2>About this page</h2>\n<ul>\n");
    let axis = match report.axis() {
        Axis::Ticks => {
            "Time is that of the timestamps in the trace; between two of them it passes with the cycles \
             if they are counted, otherwise with the instructions."
        }
        Axis::Cycles => "The trace has no timestamps: time is counted in cycles of the core.",
        Axis::Instructions => {
            "The trace has neither timestamps nor cycle counts: time is counted in instructions."
        }
    };
    let _ = writeln!(out, "<li>{axis}</li>");
    let counts = report.counts();
    if report.axis() == Axis::Ticks && report.frequency.is_none() {
        out.push_str("<li>How many ticks are a second is not known.</li>\n");
    }
    let mut mixed = report.sources.iter().map(|source| source.axis);
    if mixed.any(|axis| axis != report.axis()) {
        out.push_str("<li>The sources do not count time in the same unit, so they cannot be compared.</li>\n");
    }
    if counts.estimated > 0 {
        let _ = writeln!(
            out,
            "<li>The times of {} calls and returns are estimated, because timestamps are rare.</li>",
            grouped(counts.estimated)
        );
    }
    if counts.backwards > 0 {
        let _ = writeln!(
            out,
            "<li>Timestamps go back {} times, so the times around these places are wrong.</li>",
            grouped(counts.backwards)
        );
    }
    if counts.too_deep > 0 {
        let _ = writeln!(
            out,
            "<li>{} calls were too deep for the call stack, and count for their callers.</li>",
            grouped(counts.too_deep)
        );
    }
    for sentence in thinned {
        let _ = writeln!(out, "<li>{sentence}</li>");
    }
    if thinned.is_empty() {
        out.push_str("<li>Nothing was left out of the drawings.</li>\n");
    }
    out.push_str("</ul>\n</section>\n");
}
