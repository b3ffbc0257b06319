// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is missing or broken in a file, in sentences.

/// The most sentences.
const MAX_SENTENCES: usize = 64;

/// Sentences, each once.
#[derive(Debug, Default)]
pub struct Damage(Vec<String>);

impl Damage {
    /// Adds a sentence.
    pub fn report(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if self.0.len() < MAX_SENTENCES && !self.0.contains(&sentence) {
            self.0.push(sentence);
        }
    }

    /// Adds a sentence if a count is not 0.
    pub fn count(&mut self, count: u64, sentence: &str) {
        if count > 0 {
            self.report(format!("{count} {sentence}"));
        }
    }

    /// The sentences.
    pub fn finish(self) -> Vec<String> {
        self.0
    }
}
