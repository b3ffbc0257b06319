// SPDX-License-Identifier: MIT OR Apache-2.0
//! The text of OpenCSD's packet lister as rows that compare with those of `coretrace_listing::tsv`.
//!
//! Source: the output of `trc_pkt_lister` 1.3.3 and 1.8.0 with `-pkt_mon`.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};

/// A packet of the list: tab-separated name, `off=`, `len=`, fields and `raw=`.
pub type Row = String;

/// Unread bytes of an ID that no other packet has followed: offset and number.
type Unread = Option<(usize, usize)>;

/// The rows of each trace ID, in order. Packets of other protocols than ETMv4 and ETE are left out.
///
/// # Errors
/// If the description of a packet is not known.
pub fn rows(listing: &str) -> Result<BTreeMap<u8, Vec<Row>>> {
    let mut streams: BTreeMap<u8, Stream> = BTreeMap::new();
    for (number, line) in (1..).zip(listing.lines()) {
        let Some(packet) = Packet::of(line) else {
            continue;
        };
        let stream = streams.entry(packet.id).or_default();
        stream
            .take(&packet)
            .with_context(|| format!("line {number} of the list is not understood: {line}"))?;
    }
    Ok(streams
        .into_iter()
        .map(|(id, mut stream)| {
            stream.end_unread();
            (id, stream.rows)
        })
        .collect())
}

/// A line of the list.
struct Packet<'a> {
    id: u8,
    raw: Vec<u8>,
    name: &'a str,
    description: &'a str,
}

impl<'a> Packet<'a> {
    /// `Idx:12; ID:10; [0x01 0x00 ];\tI_TRACE_INFO : Trace Info.; ...`, after the text of an error
    /// that ends without a line end.
    fn of(line: &'a str) -> Option<Packet<'a>> {
        let line = &line[line.rfind("Idx:")?..];
        let (_, rest) = line.split_once("; ID:")?;
        let (id, rest) = rest.split_once("; [")?;
        let (raw, rest) = rest.split_once("];\t")?;
        let (name, description) = rest.split_once(':')?;
        let name = name.trim();
        // The synchronisation packets of an ETMv3.
        let other = !name.starts_with("I_") || name.starts_with("I_SYNC");
        (!other).then_some(())?;
        let byte = |text: &str| u8::from_str_radix(text.strip_prefix("0x")?, 16).ok();
        Some(Packet {
            id: u8::from_str_radix(id, 16).ok()?,
            raw: raw.split_whitespace().map(byte).collect::<Option<_>>()?,
            name,
            description: description.trim(),
        })
    }
}

/// The rows of an ID.
#[derive(Default)]
struct Stream {
    rows: Vec<Row>,
    bytes: usize,
    unread: Unread,
}

impl Stream {
    fn take(&mut self, packet: &Packet<'_>) -> Result<()> {
        let (offset, len) = (self.bytes, packet.raw.len());
        self.bytes += len;
        if packet.name == "I_NOT_SYNC" {
            self.unread.get_or_insert((offset, 0)).1 += len;
            return Ok(());
        }
        self.end_unread();
        let mut row = format!("{}\toff={offset}\tlen={len}", packet.name);
        for (key, value) in fields(packet)? {
            row += &format!("\t{key}={value}");
        }
        row += "\traw=";
        for byte in &packet.raw {
            row += &format!("{byte:02x}");
        }
        self.rows.push(row);
        Ok(())
    }

    fn end_unread(&mut self) {
        if let Some((offset, len)) = self.unread.take() {
            self.rows
                .push(format!("I_NOT_SYNC\toff={offset}\tlen={len}"));
        }
    }
}

type Field = (&'static str, String);

/// The fields of a packet: the parts of its description behind the first one.
fn fields(packet: &Packet<'_>) -> Result<Vec<Field>> {
    let Packet {
        name, description, ..
    } = packet;
    if let Some(kind) = in_brackets(description).filter(|text| text.starts_with("I_")) {
        return Ok(vec![("err", kind.to_owned())]);
    }
    let mut parts = description.split(';').map(str::trim);
    let head = parts.next().unwrap_or_default();
    let mut fields = Vec::new();
    if let Some(index) = in_brackets(head) {
        fields.push(("match", index.to_owned()));
    }
    let mut interpretation = "0";
    for part in parts.filter(|part| !part.is_empty()) {
        match part {
            "Ret Addr Follows" => interpretation = "1",
            "Ret Addr Follows, Match Prev" => interpretation = "2",
            "Fault Pending" => fields.push(("fault_pending", "1".to_owned())),
            _ => part_fields(name, part, &mut fields).with_context(|| part.to_owned())?,
        }
    }
    if *name == "I_EXCEPT" {
        // After the name of the exception, before the pending fault.
        fields.insert(fields.len().min(1), ("interp", interpretation.to_owned()));
    }
    Ok(fields)
}

/// The text in brackets at the end.
fn in_brackets(text: &str) -> Option<&str> {
    let (_, inner) = text.strip_suffix(']')?.rsplit_once('[')?;
    Some(inner)
}

fn part_fields(name: &str, part: &str, fields: &mut Vec<Field>) -> Result<()> {
    let mut put = |key, value: String| fields.push((key, value));
    if let Some(text) = part.strip_prefix("Addr=") {
        put(
            "addr",
            hexadecimal(text.split(' ').next().unwrap_or_default())?,
        );
    } else if let Some(text) = part.strip_prefix("Ctxt: ") {
        context(text, &mut put)?;
    } else if let Some(text) = part.strip_prefix("CID=") {
        put("cid", hexadecimal(text)?);
    } else if let Some(text) = part.strip_prefix("VMID=") {
        put("vmid", hexadecimal(text)?);
    } else if let Some(text) = part.strip_prefix("INFO=") {
        let (info, flags) = text.split_once(" { CC.").context("no CC")?;
        put("info", hexadecimal(info)?);
        let flags = flags.strip_suffix(" }").context("no end")?;
        let (cc, tstate) = flags.split_once(", TSTATE.").unwrap_or((flags, ""));
        put("cc", cc.to_owned());
        if !tstate.is_empty() {
            put("tstate", tstate.to_owned());
        }
    } else if let Some(text) = part.strip_prefix("CC_THRESHOLD=") {
        put("threshold", hexadecimal(text)?);
    } else if part.starts_with("INIT SPEC DEPTH=") || part == "Decoder Sync point TINFO" {
        // OpenCSD 1.3.3 does not print these, and neither do the rows of a capture.
    } else if let Some(text) = part.strip_prefix("Updated val = ") {
        put("ts", hexadecimal(text)?);
    } else if let Some(text) = part.strip_prefix("CC=") {
        put("cc", hexadecimal(text)?);
    } else if let Some(text) = part.strip_prefix("Count=") {
        put("count", hexadecimal(text)?);
    } else if name == "I_Q" {
        if let Some(count) = part.strip_prefix("Count(") {
            put("count", count.trim_end_matches(')').to_ascii_lowercase());
        } else {
            put(
                "match",
                in_brackets(part).context("no Q packet")?.to_owned(),
            );
        }
    } else if name.starts_with("I_CCNT_") && part.starts_with("Commit(") {
        // As above.
    } else if name.starts_with("I_ATOM_") {
        put("atoms", part.to_owned());
    } else if name == "I_EXCEPT" {
        put("exc", part.replace(' ', "_"));
    } else if name == "I_ITE" {
        match part.strip_prefix("EL") {
            Some(level) => put("el", level.to_owned()),
            None => {
                let text = part.strip_prefix("Payload=").context("no payload")?;
                put("payload", hexadecimal(text)?);
            }
        }
    } else {
        speculation(part, &mut put)?;
    }
    Ok(())
}

/// `Atom: E, Cancel(2), Mispredict`.
fn speculation(part: &str, put: &mut impl FnMut(&'static str, String)) -> Result<()> {
    let count = |text: &str| text.trim_end_matches(')').to_owned();
    for word in part.split(", ") {
        if let Some(atoms) = word.strip_prefix("Atom: ") {
            put("atoms", atoms.to_owned());
        } else if let Some(text) = word.strip_prefix("Cancel(") {
            put("cancel", count(text));
        } else if let Some(text) = word.strip_prefix("Commit(") {
            put("commit", count(text));
        } else if word == "Mispredict" {
            put("mispredict", "1".to_owned());
        } else {
            bail!("an unknown part of a packet");
        }
    }
    Ok(())
}

/// `Same`, or `AArch64,EL1, NS`. OpenCSD 1.3.3 has no names for Root and Realm.
fn context(text: &str, put: &mut impl FnMut(&'static str, String)) -> Result<()> {
    if text == "Same" {
        put("ctxt", "same".to_owned());
        return Ok(());
    }
    let mut words = text.split(',').map(str::trim);
    let (state, level, security) = (words.next(), words.next(), words.next());
    put("sf", u8::from(state == Some("AArch64")).to_string());
    let level = level.and_then(|text| text.strip_prefix("EL"));
    put("el", level.context("no exception level")?.to_owned());
    let security = match security.context("no security state")? {
        "Root" => "S",
        "Realm" => "NS",
        state => state,
    };
    put("sec", security.to_owned());
    Ok(())
}

/// A hexadecimal number as rows have it: without padding.
fn hexadecimal(text: &str) -> Result<String> {
    let digits = text.trim().strip_prefix("0x").context("no 0x")?;
    let value = u64::from_str_radix(digits.trim_start_matches('?'), 16)?;
    Ok(format!("{value:#x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_every_shape_become_rows() {
        let list = "Using BUFFER as trace source\n\
            Idx:0; ID:10; [0xff 0xff ];\tI_NOT_SYNC : I Stream not synchronised\n\
            Idx:2; ID:10; [0xff ];\tI_NOT_SYNC : I Stream not synchronised\n\
            Idx:3; ID:10; [0x01 0x05 0x41 0x10 ];\tI_TRACE_INFO : Trace Info.; INFO=0x41 { CC.1, TSTATE.1 }; CC_THRESHOLD=0x10; INIT SPEC DEPTH=0\n\
            DCD : 0x0017 (OCSD_ERR_X) [text]; TrcIdx=7; CS ID=10; Idx:7; ID:10; [0x9d ];\tI_RESERVED_CFG : Reserved.[I_COND_I_F3]\n\
            Idx:8; ID:10; [0x06 0x1d ];\tI_EXCEPT : Exception.;  Data Fault; Fault Pending; Ret Addr Follows;\n\
            Idx:10; ID:10; [0x91 ];\tI_ADDR_MATCH : Exact Address Match., [1]; Addr=0x0000000000001000; \n\
            Idx:11; ID:10; [0x82 ];\tI_ADDR_CTXT_L_32IS0 : Address & Context.; Addr=0x00001000; Ctxt: AArch64,EL3, Root; CID=0x00000007; \n\
            Idx:12; ID:10; [0x38 ];\tI_CANCEL_F3 : Cancel.; Atom: E, Cancel(2), Mispredict\n\
            Idx:13; ID:10; [0x10 ];\tI_CCNT_F3 : Cycle Count.; Count=0x10; Commit(1)\n\
            Idx:14; ID:20; [0x10 ];\tVERSION : STM version\n\
            ID:10\tEND OF TRACE DATA\n";
        let rows = rows(list).unwrap();
        assert_eq!(rows.keys().copied().collect::<Vec<_>>(), [0x10]);
        let want = [
            "I_NOT_SYNC\toff=0\tlen=3",
            "I_TRACE_INFO\toff=3\tlen=4\tinfo=0x41\tcc=1\ttstate=1\tthreshold=0x10\traw=01054110",
            "I_RESERVED_CFG\toff=7\tlen=1\terr=I_COND_I_F3\traw=9d",
            "I_EXCEPT\toff=8\tlen=2\texc=Data_Fault\tinterp=1\tfault_pending=1\traw=061d",
            "I_ADDR_MATCH\toff=10\tlen=1\tmatch=1\taddr=0x1000\traw=91",
            "I_ADDR_CTXT_L_32IS0\toff=11\tlen=1\taddr=0x1000\tsf=1\tel=3\tsec=S\tcid=0x7\traw=82",
            "I_CANCEL_F3\toff=12\tlen=1\tatoms=E\tcancel=2\tmispredict=1\traw=38",
            "I_CCNT_F3\toff=13\tlen=1\tcount=0x10\traw=10",
        ];
        assert_eq!(rows[&0x10], want);
    }

    #[test]
    fn a_description_that_is_not_known_is_an_error_with_its_line() {
        let list = "\nIdx:0; ID:0; [0x2d ];\tI_COMMIT : Commit.; Surprise(1)\n";
        let error = format!("{:#}", rows(list).unwrap_err());
        assert!(error.starts_with("line 2 of the list"), "{error}");
    }
}
