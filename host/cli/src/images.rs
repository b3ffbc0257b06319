// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was in memory while a trace was recorded: of the trace, and named by the user.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use coretrace_capture::{MemoryImage, Trace};
use coretrace_flow::{Image, ImageBytes, Spaces};
use coretrace_program::Program;

use crate::error::say;
use crate::programs::address;

/// Parses `FILE@ADDRESS[,space=S][,vmid=N][,cid=N]`.
///
/// # Errors
/// If there is no address, or a key or a number is not one.
pub fn parse_image(argument: &str) -> Result<MemoryImage> {
    let (file, rest) = argument
        .rsplit_once("@0x")
        .with_context(|| format!("{argument} has no address: FILE@0x1000 has one"))?;
    let mut parts = rest.split(',');
    let mut image = MemoryImage {
        file: PathBuf::from(file),
        address: address(file, parts.next().unwrap_or_default())?,
        length: None,
        offset: None,
        space: None,
        vmid: None,
        cid: None,
    };
    for part in parts {
        match part.split_once('=') {
            Some(("space", name)) if Spaces::of_name(name).is_some() => {
                image.space = Some(name.to_owned());
            }
            Some(("vmid", value)) => image.vmid = Some(number(value)?),
            Some(("cid", value)) => image.cid = Some(number(value)?),
            _ => bail!("{part} is not known: space=EL1N, vmid=1 and cid=0x10 are"),
        }
    }
    Ok(image)
}

/// A number, decimal or hexadecimal behind `0x`.
fn number(text: &str) -> Result<u32> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.with_context(|| format!("{text} is not a number of 32 bits"))
}

/// The images of the trace, over them the memory dumps, and over these the programs.
///
/// # Errors
/// If one cannot be read.
pub fn images(trace: &Trace, dumps: &[MemoryImage], program: &Program) -> Result<Vec<Image>> {
    let memory = trace.memory.iter().chain(dumps);
    let mut images: Vec<Image> = memory.map(image).collect::<Result<_>>()?;
    images.extend(program_images(program));
    Ok(images)
}

/// Memory dumps.
///
/// # Errors
/// If one cannot be read.
pub fn dumps(dumps: &[MemoryImage]) -> Result<Vec<Image>> {
    dumps.iter().map(image).collect()
}

/// What is in memory of programs.
pub fn program_images(program: &Program) -> impl Iterator<Item = Image> {
    program.images().map(|part| Image {
        name: part.path.display().to_string(),
        bytes: ImageBytes::part(Arc::clone(part.file), part.range),
        process: part.process,
        ..Image::new(part.address, [])
    })
}

fn image(image: &MemoryImage) -> Result<Image> {
    let mut spaces = Spaces::ANY;
    if let Some(name) = &image.space {
        let named = Spaces::of_name(name);
        if named.is_none() {
            let file = image.file.display();
            say(&format!(
                "warning: {file}: there is no memory space {name:?}, so every context sees it"
            ));
        }
        spaces = named.unwrap_or(spaces);
    }
    Ok(Image {
        name: image.file.display().to_string(),
        spaces,
        vmid: image.vmid,
        cid: image.cid,
        ..Image::new(image.address, image.read()?)
    })
}

/// OpenCSD knows no image of one VMID or context ID, and where several overlap its first one counts.
pub fn only_addresses(images: &mut [Image]) {
    images.reverse();
    for image in images {
        (image.vmid, image.cid) = (None, None);
    }
}
