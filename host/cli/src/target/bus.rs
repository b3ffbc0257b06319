// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which bus the accesses of a session go to.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow};
use clap::Args;
use coretrace_target::wrappers::Within;
use coretrace_target::{Bus, BusError, Time};
use coretrace_target_buses::linux::{Access, Awake};
use coretrace_target_buses::{Linux, OpenOcd, Wall};
use coretrace_target_sim::{SimulatedChip, Ticks, World};

use crate::hardware::Hardware;
use crate::target::chip::Chip;
use crate::target::machine::Machine;

/// Where OpenOCD listens, if nothing else is said.
const SERVER: &str = "localhost:6666";

/// How long OpenOCD may take for an answer.
const LIMIT: Duration = Duration::from_secs(2);

/// The condition that a simulated session has a guard, as one of a machine has.
const GUARD: &str = "guard";

/// The condition that the cores behind trace ports are hardware.
const HARDWARE: &str = "hw";

/// Names the bus, and the folder of the session.
#[derive(Debug, Args)]
pub struct BusArgs {
    /// The bus: `linux` is the chip that the program runs on, `openocd:TARGET` one behind a debug probe, and `sim` a
    /// simulated one; conditions follow, such as `sim:claimed=etf1`
    #[arg(long, value_name = "BUS")]
    pub bus: Name,

    /// The folder with what is needed to undo the session, and with the simulated chip. If absent, it is
    /// /run/etm4 for `linux`, and etm4-session in the current folder for the others
    #[arg(long, value_name = "FOLDER")]
    session: Option<PathBuf>,
}

/// A bus.
#[derive(Clone, Debug)]
pub enum Name {
    /// The simulator.
    Sim(Sim),
    /// The Linux below a root.
    Linux(PathBuf),
    /// The server of OpenOCD, and its target.
    OpenOcd(String, String),
}

/// A simulated chip as it is asked for.
#[derive(Clone, Debug)]
pub struct Sim {
    conditions: Vec<String>,
    /// A session has a guard.
    has_guard: bool,
    /// The cores behind trace ports are hardware, not their model.
    has_hardware: bool,
}

/// A bus that was opened.
pub enum Opened {
    /// The simulator.
    Sim(Box<Machine>),
    /// A Linux, and cores that stay awake for a session.
    Linux(
        Linux,
        #[expect(dead_code, reason = "it is held")] Option<Awake>,
    ),
    /// OpenOCD.
    OpenOcd(Within<OpenOcd>),
}

impl BusArgs {
    /// The folder of the session. That of a Linux is in memory: after a reset of the chip there is no session.
    pub fn session(&self) -> Cow<'_, Path> {
        match (&self.session, &self.bus) {
            (Some(folder), _) => Cow::Borrowed(folder),
            (None, Name::Linux(root)) => Cow::Owned(root.join("run/etm4")),
            (None, _) => Cow::Borrowed(Path::new("etm4-session")),
        }
    }

    /// Opens the bus for the addresses of a chip, and more ranges; `hardware` has the cores of a simulated
    /// chip, if it is asked for.
    ///
    /// # Errors
    /// If a condition cannot be imposed, the chip cannot be kept, nobody answers for its addresses, memory cannot be
    /// mapped, nobody answers, or there is no hardware.
    pub fn open(
        &self,
        chip: &Chip,
        access: Access,
        more: &[Range<u64>],
        hardware: &dyn Hardware,
    ) -> Result<Opened> {
        let mut ranges = chip.topology.ranges();
        ranges.extend_from_slice(more);
        if !matches!(self.bus, Name::Sim(_)) {
            chip.check()?;
        }
        match &self.bus {
            Name::Sim(sim) => {
                let cold: Box<dyn SimulatedChip> = match sim.has_hardware {
                    true => hardware.chip(&chip.topology)?,
                    false => Box::new(World::cold(&chip.topology)),
                };
                let machine = Machine::open(&self.session(), chip, cold, &sim.conditions)?;
                Ok(Opened::Sim(Box::new(machine)))
            }
            Name::Linux(root) => {
                let linux = Linux::open(root, &ranges, access);
                let linux = linux.map_err(|error| anyhow!("{error}: {}", error.advice()))?;
                let awake = match access {
                    Access::Read => None,
                    Access::ReadWrite => Some(awake(root)?),
                };
                Ok(Opened::Linux(linux, awake))
            }
            Name::OpenOcd(server, target) => {
                let bus = OpenOcd::connect(server, target, LIMIT);
                let bus = bus.with_context(|| format!("cannot reach OpenOCD at {server}"))?;
                Ok(Opened::OpenOcd(Within { bus, ranges }))
            }
        }
    }
}

fn awake(root: &Path) -> Result<Awake> {
    Awake::keep(root).context("cannot keep the cores out of idle states: run it as root")
}

impl Name {
    /// Whether a session has a guard.
    pub fn has_guard(&self) -> bool {
        !matches!(self, Name::Sim(sim) if !sim.has_guard)
    }

    /// Whether an access that the bus refuses ends the process.
    pub fn is_deadly(&self) -> bool {
        matches!(self, Name::Linux(_))
    }
}

/// The bus without conditions that last.
impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Name::Sim(sim) if sim.has_hardware => write!(f, "sim:{HARDWARE}"),
            Name::Sim(_) => f.write_str("sim"),
            Name::Linux(root) => write!(f, "linux:{}", root.display()),
            Name::OpenOcd(server, target) => write!(f, "openocd:{server},{target}"),
        }
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let parts: Vec<&str> = rest.split(',').filter(|part| !part.is_empty()).collect();
        match (name, &parts[..]) {
            ("sim", parts) => {
                let is_condition = |part: &&&str| ![GUARD, HARDWARE].contains(*part);
                let conditions = parts.iter().filter(is_condition);
                Ok(Name::Sim(Sim {
                    conditions: conditions.map(|part| (*part).to_owned()).collect(),
                    has_guard: parts.contains(&GUARD),
                    has_hardware: parts.contains(&HARDWARE),
                }))
            }
            ("linux", []) => Ok(Name::Linux(PathBuf::from("/"))),
            ("linux", _) => Ok(Name::Linux(PathBuf::from(rest))),
            ("openocd", [target]) if !target.contains(':') => {
                Ok(Name::OpenOcd(SERVER.to_owned(), (*target).to_owned()))
            }
            ("openocd", [server, target]) => {
                Ok(Name::OpenOcd((*server).to_owned(), (*target).to_owned()))
            }
            ("openocd", [] | [_]) => Err(format!(
                "{text} names no target: give that of the AXI access port, such as openocd:uscale.axi or \
                 openocd:{SERVER},uscale.axi; the current target may have other addresses"
            )),
            _ => Err(format!(
                "there is no bus {text}: `etm4 target list` has them"
            )),
        }
    }
}

impl Opened {
    /// Lets time pass, and returns how much it was.
    ///
    /// # Errors
    /// If the simulated chip cannot be kept.
    pub fn pass(&mut self, time: Duration) -> Result<Duration> {
        match self {
            Opened::Sim(machine) => machine.pass(time).map(|()| time),
            Opened::Linux(..) | Opened::OpenOcd(_) => {
                let begin = Instant::now();
                sleep(time);
                Ok(begin.elapsed())
            }
        }
    }

    /// Time for waits.
    pub fn time(&self) -> Box<dyn Time> {
        match self {
            Opened::Sim(_) => Box::new(Ticks::default()),
            Opened::Linux(..) | Opened::OpenOcd(_) => Box::new(Wall::default()),
        }
    }

    /// Warns of what a simulated chip found.
    pub fn warn(&self) {
        self.simulated().into_iter().for_each(Machine::warn);
    }

    /// The simulated chip, if it is one.
    pub fn simulated(&self) -> Option<&Machine> {
        match self {
            Opened::Sim(machine) => Some(machine),
            Opened::Linux(..) | Opened::OpenOcd(_) => None,
        }
    }
}

impl Bus for Opened {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        match self {
            Opened::Sim(bus) => bus.read32(address),
            Opened::Linux(bus, _) => bus.read32(address),
            Opened::OpenOcd(bus) => bus.read32(address),
        }
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        match self {
            Opened::Sim(bus) => bus.write32(address, value),
            Opened::Linux(bus, _) => bus.write32(address, value),
            Opened::OpenOcd(bus) => bus.write32(address, value),
        }
    }
}
