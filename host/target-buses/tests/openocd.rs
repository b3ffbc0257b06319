// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bus of OpenOCD, against a small server that speaks its protocol.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use coretrace_target::{Bus, BusError};
use coretrace_target_buses::OpenOcd;

const LIMIT: Duration = Duration::from_millis(300);

/// A server for so many connections; its address, and the commands that it was sent.
fn serve(connections: usize) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let server = spawn(move || {
        let (mut memory, mut commands) = (BTreeMap::new(), Vec::new());
        for _ in 0..connections {
            let (stream, _) = listener.accept().expect("a connection");
            talk(&stream, &mut memory, &mut commands);
        }
        commands
    });
    (address, server)
}

/// Answers the commands of a connection until it ends.
fn talk(mut stream: &TcpStream, memory: &mut BTreeMap<u64, u32>, commands: &mut Vec<String>) {
    let reader = BufReader::new(stream.try_clone().expect("a stream"));
    for command in reader.split(0x1A).map_while(Result::ok) {
        let command = String::from_utf8(command).expect("text");
        let inner = command.strip_prefix("list [catch {").expect("a catch");
        let inner = inner.strip_suffix("} answer] $answer").expect("a list");
        commands.push(inner.to_owned());
        let words: Vec<&str> = inner.trim_start_matches("axi ").split(' ').collect();
        let number = |text: &str| {
            u64::from_str_radix(text.strip_prefix("0x").expect("0x"), 16).expect("a number")
        };
        let answer = match (words[0], number(words[1])) {
            // Nothing answers there, an error, nonsense, a word in two parts, an answer without end.
            (_, 0xF00) => continue,
            (_, 0xF04) => "1 {Failed to read memory}".to_owned(),
            (_, 0xF08) => "welcome".to_owned(),
            (_, 0xF0C) => "0 0x123456789".to_owned(),
            (_, 0xF10) => "x".repeat(10_000),
            (_, 0xF14) => return,
            ("read_memory", at) => format!("0 {:#x}", memory.get(&at).copied().unwrap_or(0)),
            (_, at) => {
                memory.insert(at, number(words[3]) as u32);
                "0 {}".to_owned()
            }
        };
        // In two parts, as a network may deliver it.
        let (first, rest) = answer.split_at(answer.len() / 2);
        for part in [first.as_bytes(), rest.as_bytes(), &[0x1A]] {
            // A client that has given up is gone.
            let _ = stream.write_all(part);
        }
    }
}

#[test]
fn words_are_read_and_written_by_the_target_that_was_named() {
    let (address, server) = serve(1);
    let mut bus = OpenOcd::connect(&address, "axi", LIMIT).expect("connected");
    bus.write32(0xFE98_0304, 0x1040).expect("written");
    assert_eq!(bus.read32(0xFE98_0304), Ok(0x1040));
    assert_eq!(bus.read32(0x4_0000_0000), Ok(0));
    drop(bus);
    let wanted = [
        "axi write_memory 0xfe980304 32 0x1040",
        "axi read_memory 0xfe980304 32 1",
        "axi read_memory 0x400000000 32 1",
    ];
    assert_eq!(server.join().expect("commands"), wanted);
}

#[test]
fn an_access_that_fails_says_why_and_the_next_one_is_not_shifted() {
    for (address, words, connections) in [
        (0xF00, "no answer in 300ms", 2),
        (0xF04, "OpenOCD: Failed to read memory", 1),
        (0xF08, "it answered \"welcome\"", 1),
        (0xF0C, "\"0x123456789\" is no word", 1),
        (0xF10, "too long", 2),
        (0xF14, "OpenOCD at 127.0.0.1", 2),
    ] {
        let (server_address, server) = serve(connections);
        let mut bus = OpenOcd::connect(&server_address, "axi", LIMIT).expect("connected");
        bus.write32(0x10, 7).expect("written");
        match bus.read32(address) {
            Err(BusError::Failed(why)) => assert!(why.contains(words), "{address:#X}: {why}"),
            other => panic!("{address:#X}: {other:?}"),
        }
        assert_eq!(bus.read32(0x10), Ok(7), "{address:#X}");
        drop(bus);
        server.join().expect("commands");
    }
}

#[test]
fn a_server_that_is_absent_is_an_error() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    assert!(OpenOcd::connect(&address, "axi", LIMIT).is_err());
    assert!(OpenOcd::connect("no address", "axi", LIMIT).is_err());
}
