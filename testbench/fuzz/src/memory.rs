// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory of this program and its child processes, as reported by Linux.

use std::fs;

/// Peak resident memory in KiB so far, of this process and each running child. `None` if the system
/// does not report it.
pub fn peak() -> Option<u64> {
    let own = std::process::id();
    let mut sum = status(own, "VmHWM:")?;
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let pid = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse().ok());
        if let Some(pid) = pid.filter(|&pid| status(pid, "PPid:") == Some(own.into())) {
            // A child that has just ended has no entry.
            sum += status(pid, "VmHWM:").unwrap_or(0);
        }
    }
    Some(sum)
}

/// A number in the status of a process.
fn status(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let mut lines = status.lines();
    let value = lines.find_map(|line| line.strip_prefix(name))?;
    value.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_memory_is_reported() {
        let memory = vec![1_u8; 64 << 20];
        let is_reported = peak().is_none_or(|peak| peak >= 64 << 10);
        assert!(is_reported, "{:?} for {} bytes", peak(), memory.len());
    }
}
