// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace port through the model.

use etm4_model::Decoder;
use etm4_model::tpiu::{Deframer, Demux, Format, RunEvent};
use etm4_protocol::Record;
use etm4_protocol::tpiu::TraceId;

use crate::Listener;

/// The model from the port on: the records of each source.
pub fn port_model(sources: &[(TraceId, Listener)], port: &[u8]) -> Vec<Vec<Record>> {
    let decoder = |listener: &Listener| Decoder::new(listener.set.config(), listener.policy());
    let mut decoders: Vec<Decoder> = sources.iter().map(|(_, l)| decoder(l)).collect();
    let mut records = vec![Vec::new(); sources.len()];
    let mut demux = Demux::new(sources.iter().map(|(id, _)| *id));
    Deframer::new(Format::TpiuHsync).feed(port, |event| match event {
        RunEvent::Run(run) => {
            if let Some(index) = demux
                .route(&run)
                .and_then(|id| sources.iter().position(|(known, _)| *known == id))
            {
                decoders[index].feed(run.bytes, |record| records[index].push(*record));
            }
        }
        RunEvent::Discontinuity { .. } => {
            for (decoder, records) in decoders.iter_mut().zip(&mut records) {
                decoder.discontinuity(|record| records.push(*record));
            }
        }
    });
    records
}
