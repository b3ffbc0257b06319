// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of a chip through the TCL port of OpenOCD.
//!
//! A command and its answer end with the byte 0x1A. A command is wrapped by `catch`, so that its answer begins
//! with 0 if it has worked. The accesses are those of a target of OpenOCD with a name: that of the AXI access port of
//! a Zynq UltraScale+ sees the addresses that its cores see, and locks and claims as they do. The current target may
//! be any other.
//!
//! Source: OpenOCD User's Guide, Tcl Scripting API; Memory access commands.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use coretrace_target::{Bus, BusError};

/// The end of a command and of an answer.
const END: u8 = 0x1A;

/// Bytes of an answer, at most.
const LONGEST: usize = 4096;

/// A connection, which is made again after it has failed: the answers of a new one are not late.
pub struct OpenOcd {
    server: String,
    target: String,
    limit: Duration,
    stream: Option<TcpStream>,
}

impl OpenOcd {
    /// Connects to a server, such as `localhost:6666`, for a target, such as `uscale.axi`. An answer may take as long as
    /// `limit`.
    ///
    /// # Errors
    /// If there is no server.
    pub fn connect(server: &str, target: &str, limit: Duration) -> Result<OpenOcd> {
        let mut openocd = OpenOcd {
            server: server.to_owned(),
            target: target.to_owned(),
            limit,
            stream: None,
        };
        openocd.stream = Some(openocd.open()?);
        Ok(openocd)
    }

    fn open(&self) -> Result<TcpStream> {
        let mut last = Error::from(ErrorKind::NotFound);
        for address in self.server.to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, self.limit) {
                Ok(stream) => {
                    stream.set_nodelay(true)?;
                    stream.set_read_timeout(Some(self.limit))?;
                    stream.set_write_timeout(Some(self.limit))?;
                    return Ok(stream);
                }
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// The answer to a command.
    fn ask(&mut self, command: &str) -> Result<String> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => self.open()?,
        };
        stream.write_all(command.as_bytes())?;
        stream.write_all(&[END])?;
        let answer = answer(&mut stream)?;
        self.stream = Some(stream);
        Ok(answer)
    }

    /// What a command of a target gives.
    fn run(&mut self, command: &str) -> std::result::Result<String, BusError> {
        let target = &self.target;
        let asked = format!("list [catch {{{target} {command}}} answer] $answer");
        let answer = self.ask(&asked).map_err(|error| {
            let server = &self.server;
            let why = match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                    format!("no answer in {:?}", self.limit)
                }
                _ => error.to_string(),
            };
            BusError::Failed(format!("OpenOCD at {server}: {why}"))
        })?;
        let text = |text: &str| text.trim_matches(['{', '}']).trim().to_owned();
        match answer.split_once(' ') {
            Some(("0", value)) => Ok(text(value)),
            Some(("1", why)) => Err(BusError::Failed(format!("OpenOCD: {}", text(why)))),
            _ => Err(BusError::Failed(format!("OpenOCD: it answered {answer:?}"))),
        }
    }
}

impl Bus for OpenOcd {
    fn read32(&mut self, address: u64) -> std::result::Result<u32, BusError> {
        let value = self.run(&format!("read_memory {address:#x} 32 1"))?;
        let digits = value.strip_prefix("0x");
        let word = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        word.ok_or_else(|| BusError::Failed(format!("OpenOCD: {value:?} is no word")))
    }

    fn write32(&mut self, address: u64, value: u32) -> std::result::Result<(), BusError> {
        self.run(&format!("write_memory {address:#x} 32 {value:#x}"))?;
        Ok(())
    }
}

/// Reads an answer up to its end.
fn answer(stream: &mut TcpStream) -> Result<String> {
    let (mut bytes, mut part) = (Vec::new(), [0; 256]);
    loop {
        let count = stream.read(&mut part)?;
        if count == 0 {
            return Err(Error::from(ErrorKind::UnexpectedEof));
        }
        bytes.extend_from_slice(&part[..count]);
        if bytes.last() == Some(&END) {
            bytes.pop();
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        if bytes.len() > LONGEST {
            return Err(Error::other("its answer is too long"));
        }
    }
}
