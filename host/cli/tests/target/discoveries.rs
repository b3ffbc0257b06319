// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the simulated chip has by its ROM table is what its topology says.

use crate::chip::Chip;

const ZYNQMP: &[&str] = &["--topology", "zynqmp"];

#[test]
fn every_component_of_the_topology_is_found_as_what_it_is() {
    let chip = Chip::new();
    let text = chip.good("discover", "sim", ZYNQMP);
    assert!(!text.contains("is to be a"), "{text}");
    for line in [
        "table",
        "B912 tpiu         tpiu locked",
        "B961 etr          etr locked",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
    let toml = chip.good("discover", "sim", &[ZYNQMP, &["--format", "toml"]].concat());
    let components = toml.matches("[[component]]").count();
    assert_eq!(text.lines().count(), components + 1);
    for part in [
        "name = \"etm3\"\nkind = \"etm4\"\nbase = 0xFEF40000",
        "rom = 0xFE800000",
    ] {
        assert!(toml.contains(part), "no {part} in {toml}");
    }
    let json = chip.good("discover", "sim", &[ZYNQMP, &["--format", "json"]].concat());
    assert_eq!(json.lines().count(), components + 1);
    assert!(!chip.events().iter().any(|event| event.starts_with('W')));
}

#[test]
fn what_is_not_as_the_topology_says_is_named() {
    let chip = Chip::new();
    let bus = "sim:claimed=etf1,elsewhere=funnel1,clock-off=trace";
    let text = chip.good("discover", bus, ZYNQMP);
    assert!(text.contains("etf1 locked claims=1"), "{text}");
    assert!(
        text.contains("funnel1 is to be a funnel: nothing"),
        "{text}"
    );
    assert!(
        text.contains("tpiu is to be a tpiu: no entry, or its clock is off"),
        "{text}"
    );
    let wrong = chip.good(
        "discover",
        "sim",
        &[ZYNQMP, &["--rom", "0xFE000000"]].concat(),
    );
    assert!(wrong.starts_with("00FE000000 0000 nothing"), "{wrong}");
    let ran = chip.run("discover", "sim:clock-off=debug", ZYNQMP);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("error: CRF_APB.DBG_FPD_CTRL is off\n  boot"),
        "{}",
        ran.stderr
    );
}
