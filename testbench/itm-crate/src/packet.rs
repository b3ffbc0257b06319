// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets of the model as the crate has them.

use coretrace_itm::{Event, Kind, Packet};
use itm::cortex_m::{Exception, VectActive};
use itm::{ExceptionAction, MemoryAccessType, TimestampDataRelation, TracePacket};

/// A packet of the model, as the crate reports it; none of what the crate has no packet for.
pub fn packet(packet: &Packet) -> Option<TracePacket> {
    let payload = packet.bytes().to_vec();
    Some(match packet.kind {
        Kind::Sync => TracePacket::Sync,
        Kind::Overflow => TracePacket::Overflow,
        Kind::LocalTimestamp if packet.len == 0 => TracePacket::LocalTimestamp2 {
            ts: packet.value() as u8,
        },
        Kind::LocalTimestamp => TracePacket::LocalTimestamp1 {
            ts: packet.value() as u32,
            data_relation: data_relation(packet.delays()),
        },
        Kind::GlobalTimestamp1 => TracePacket::GlobalTimestamp1 {
            ts: packet.value(),
            wrap: packet.wrapped(),
            clkch: packet.frequency_changed(),
        },
        Kind::GlobalTimestamp2 => TracePacket::GlobalTimestamp2 { ts: packet.value() },
        Kind::Extension => TracePacket::Extension {
            page: packet.page()?,
        },
        Kind::Software => TracePacket::Instrumentation {
            port: packet.source(),
            payload,
        },
        Kind::Hardware => event(Event::of(packet)?, payload)?,
        _ => return None,
    })
}

fn data_relation(delays: u8) -> TimestampDataRelation {
    match delays {
        0 => TimestampDataRelation::Sync,
        1 => TimestampDataRelation::UnknownDelay,
        2 => TimestampDataRelation::AssocEventDelay,
        _ => TimestampDataRelation::UnknownAssocEventDelay,
    }
}

fn event(event: Event, payload: Vec<u8>) -> Option<TracePacket> {
    Some(match event {
        Event::Counters(bits) => TracePacket::EventCounterWrap {
            cpi: bits & 1 != 0,
            exc: bits & 2 != 0,
            sleep: bits & 4 != 0,
            lsu: bits & 8 != 0,
            fold: bits & 16 != 0,
            cyc: bits & 32 != 0,
        },
        Event::Exception { number, action } => TracePacket::ExceptionTrace {
            exception: vector(number)?,
            action: match action {
                1 => ExceptionAction::Entered,
                2 => ExceptionAction::Exited,
                3 => ExceptionAction::Returned,
                _ => return None,
            },
        },
        Event::ProgramCounter(pc) => TracePacket::PCSample { pc },
        Event::DataProgramCounter { comparator, value } => TracePacket::DataTracePC {
            comparator,
            pc: value,
        },
        Event::DataAddress { comparator, .. } => TracePacket::DataTraceAddress {
            comparator,
            data: payload,
        },
        Event::DataValue {
            comparator,
            is_write,
            ..
        } => TracePacket::DataTraceValue {
            comparator,
            access_type: if is_write {
                MemoryAccessType::Write
            } else {
                MemoryAccessType::Read
            },
            value: payload,
        },
        Event::Unknown => return None,
    })
}

/// Source: Arm DDI 0403, exception numbers.
fn vector(number: u16) -> Option<VectActive> {
    let exception = match number {
        0 => return Some(VectActive::ThreadMode),
        2 => Exception::NonMaskableInt,
        3 => Exception::HardFault,
        4 => Exception::MemoryManagement,
        5 => Exception::BusFault,
        6 => Exception::UsageFault,
        7 => Exception::SecureFault,
        11 => Exception::SVCall,
        12 => Exception::DebugMonitor,
        14 => Exception::PendSV,
        15 => Exception::SysTick,
        16.. => return Some(VectActive::Interrupt { irqn: number - 16 }),
        _ => return None,
    };
    Some(VectActive::Exception(exception))
}
