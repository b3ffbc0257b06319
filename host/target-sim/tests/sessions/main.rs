// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sessions in the simulator.
//!
//! | module | what it holds |
//! |---|---|
//! | `session` | a session from start to stop, and its verdict |
//! | `worlds` | worlds in which it runs |
//! | `arrival` | every byte that is sent is decoded |
//! | `golden` | the steps of the best-known session, and the state that they reach |
//! | `swaps` | steps that change places, are left out, or break a rule |
//! | `stops` | the same of the steps of a stop |
//! | `faults` | faults and ends at every step |
//! | `failures` | mistakes of others, found by name |
//! | `topologies` | random topologies |
//! | `kernel` | the accesses of Linux |
//! | `journals` | journals in files |
//! | `owners` | other agents that take what a session has claimed |
//! | `reach` | a stop examines what it accesses |
//! | `receivers` | a core behind the trace port |
//! | `core_stops` | the steps of its stop |
//! | `stm` | the system trace of software |
//! | `listings` | a plan as a script, JSON and an explanation |

mod arrival;
mod core_stops;
mod diamonds;
mod failures;
mod faults;
mod golden;
mod interruptions;
mod journals;
mod kernel;
mod killed;
mod listings;
mod owners;
mod reach;
mod receivers;
mod session;
mod stm;
mod stops;
mod swaps;
mod topologies;
mod worlds;
