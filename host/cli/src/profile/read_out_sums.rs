// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of read-outs besides counts of ranges and branches: as a row, and for people.

use coretrace_abi::flow_table::LostReason;
use coretrace_counts::Row;
use coretrace_sites::ReadOuts;

/// What is known of read-outs besides counts of ranges and branches.
pub struct ReadOutSums {
    /// The read-outs.
    pub read: ReadOuts,
    /// Instructions executed.
    pub instructions: u64,
    /// Branches taken.
    pub taken: u64,
    /// Branches not taken.
    pub not_taken: u64,
    /// Taken branches whose targets are not known.
    pub indirect: u64,
    /// Flows that began in a block.
    pub began: u64,
    /// Those of them of which it is an assumption where in the block.
    pub assumed: u64,
    /// So many instructions are counted at most that these did not execute.
    pub doubtful: u64,
    /// Flows that ended in a block.
    pub ended: u64,
    /// Cycles.
    pub cycles: u64,
    /// The newest ring of hops, the oldest first.
    pub hops: Vec<RingHop>,
    /// Nothing contradicts the counts.
    pub is_sound: bool,
}

/// What ran up to a taken branch, or up to a trigger.
pub struct RingHop {
    /// A flow began there.
    pub begins: bool,
    /// The branch was taken.
    pub is_taken: bool,
    /// The first address of the block that was reached, and the address of the branch; none at the end of code.
    pub range: Option<(u64, u64)>,
    /// The branch, for people.
    pub place: String,
}

impl RingHop {
    /// As a row of results.
    fn row(&self) -> Row {
        let hex = |address: u64| format!("{address:#x}").into();
        let mut fields = vec![("name", self.place.as_str().into())];
        if let Some((start, end)) = self.range {
            fields.extend([("start", hex(start)), ("end", hex(end))]);
        }
        fields.extend([
            ("taken", self.is_taken.into()),
            ("begins", self.begins.into()),
        ]);
        Row {
            kind: "hop",
            fields,
        }
    }

    /// Appends a line.
    fn write(&self, out: &mut String) {
        let begins = if self.begins { '*' } else { ' ' };
        let reached = if self.is_taken { "" } else { " was reached" };
        out.push_str(&format!("{begins} {}{reached}\n", self.place));
    }
}

impl ReadOutSums {
    /// How often the place was lost, but for where tracing began.
    fn losses(&self) -> u64 {
        let losses = self.read.losses.iter();
        let losses = losses.filter(|(reason, _)| **reason != LostReason::TraceOn);
        losses.map(|(_, count)| count).sum()
    }

    /// How often tracing was off in between.
    fn gaps(&self) -> u64 {
        let begun = self.read.losses.get(&LostReason::TraceOn);
        begun.copied().unwrap_or_default().saturating_sub(1)
    }

    /// As rows of results: the sums, and the hops.
    pub fn rows(&self, name: &str) -> Vec<Row> {
        let hops = self.hops.iter().map(RingHop::row);
        std::iter::once(self.row(name)).chain(hops).collect()
    }

    fn row(&self, name: &str) -> Row {
        let ReadOuts { atoms, .. } = self.read;
        let numbers = [
            ("instructions", self.instructions),
            ("taken", self.taken),
            ("not_taken", self.not_taken),
            ("indirect", self.indirect),
            ("flows_began", self.began),
            ("flows_assumed", self.assumed),
            ("instructions_doubtful", self.doubtful),
            ("flows_ended", self.ended),
            ("cycles", self.cycles),
            ("threshold", self.read.threshold.into()),
            ("read_outs", self.read.whole),
            ("atoms", atoms.sent),
            ("skipped", atoms.skipped),
            ("dropped", atoms.dropped),
            ("losses", self.losses()),
            ("gaps", self.gaps()),
            ("missed", self.read.missed),
            ("missed_indirect", self.read.missed_indirect),
            ("rings", self.read.rings),
        ];
        let numbers = numbers
            .into_iter()
            .map(|(key, number)| (key, number.into()));
        Row {
            kind: "read-out",
            fields: std::iter::once(("name", name.into()))
                .chain(numbers)
                .chain([
                    ("windowed", self.read.windowed.into()),
                    ("sound", self.is_sound.into()),
                ])
                .collect(),
        }
    }

    /// Appends the cycles, and how exact they are.
    fn write_cycles(&self, out: &mut String) {
        if self.cycles == 0 {
            return;
        }
        out.push_str(&format!(
            "{} cycles, each at the branch behind which it was counted",
            self.cycles
        ));
        if self.read.threshold > 0 {
            out.push_str(&format!(
                "; no count is of fewer than {}, so that shorter stretches are with those behind them",
                self.read.threshold
            ));
        }
        out.push('\n');
    }

    /// Appends what was counted, and what was not.
    pub fn write(&self, out: &mut String) {
        let ReadOuts { atoms, whole, .. } = self.read;
        let outs = if whole == 1 { "" } else { "s" };
        out.push_str(&format!(
            "{} instructions, {} branches taken and {} not, counted on chip in {whole} read-out{outs}\n",
            self.instructions, self.taken, self.not_taken
        ));
        let missing: Vec<String> = [
            (self.losses(), "losses of the place in the program"),
            (atoms.skipped, "atoms without a place"),
            (atoms.dropped, "atoms that the core dropped"),
            (self.gaps(), "gaps where tracing was off"),
            (self.read.missed, "times that losses were left out"),
            (
                self.read.missed_indirect,
                "times that targets of indirect branches were left out",
            ),
        ]
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
        if missing.is_empty() {
            out.push_str("complete: every atom was followed\n");
        } else {
            out.push_str(&format!("incomplete: {}\n", missing.join(", ")));
        }
        if self.read.windowed {
            out.push_str("counted: what ran between triggers\n");
        }
        out.push_str(match self.is_sound {
            true => "checked: no unconditional branch contradicts the counts\n",
            false => "WRONG: the counts contradict each other, or are damaged\n",
        });
        if self.doubtful > 0 {
            out.push_str(&format!(
                "{} times the program came into a block where its first instruction there is not known: of the \
                 instructions at most {} did not run\n",
                self.assumed, self.doubtful
            ));
        }
        self.write_cycles(out);
        out.push_str(match self.cycles {
            0 => "not counted: time, exceptions and stacks",
            _ => "not counted: exceptions and stacks",
        });
        if self.indirect > 0 {
            let text = ", and where {} indirect branches led, returns among them";
            out.push_str(&text.replace("{}", &self.indirect.to_string()));
        }
        out.push('\n');
        if !self.hops.is_empty() {
            let count = self.hops.len();
            out.push_str(&format!(
                "trigger: the last {count} branches taken up to it; * a flow begins\n"
            ));
            self.hops.iter().for_each(|hop| hop.write(out));
        }
    }
}
