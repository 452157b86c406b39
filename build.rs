//! Lets the linker make the binary smaller, where it can. Relocations are packed where the C library of this machine can read
//! them so (glibc 2.36 and later): a megabyte less in the file, and in the memory of every process. Functions of the same code
//! are kept once: another tenth of a megabyte.

use std::env::{var, var_os};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Nothing of the project compares the addresses of functions, which Rust does not promise to be distinct.
const FOLD: &str = "-Wl,--icf=all";
const PACK: &str = "-Wl,-z,pack-relative-relocs";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let is = |name: &str, value: &str| var(name).is_ok_and(|found| found == value);
    // What this machine can read says nothing of another.
    let at_home = var("HOST").is_ok_and(|host| is("TARGET", &host));
    let glibc = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    if at_home && glibc && version().is_some_and(|version| version >= (2, 36)) {
        println!("cargo:rustc-link-arg-bins={PACK}");
    }
    // rustc's own linker on Linux knows it, the one of GNU does not: it is tried.
    if at_home && glibc && is("PROFILE", "release") && links_with(FOLD).is_some() {
        println!("cargo:rustc-link-arg-bins={FOLD}");
    }
}

/// The version of glibc: the last word of the first line that its `ldd` prints. `None` without one.
fn version() -> Option<(u32, u32)> {
    let output = Command::new("ldd").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let (major, minor) = text
        .lines()
        .next()?
        .split_whitespace()
        .last()?
        .split_once('.')?;
    let minor = minor.split('.').next()?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Links the smallest of programs with this argument, as the project itself is going to be linked.
fn links_with(argument: &str) -> Option<()> {
    let dir = PathBuf::from(var_os("OUT_DIR")?);
    let source = dir.join("probe.rs");
    std::fs::write(&source, "fn main() {}\n").ok()?;
    let mut rustc = Command::new(var_os("RUSTC")?);
    rustc.arg("--edition=2024").arg(&source);
    rustc.arg("-o").arg(dir.join("probe"));
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    if let Some(linker) = var_os("RUSTC_LINKER") {
        let mut flag = std::ffi::OsString::from("-Clinker=");
        flag.push(linker);
        rustc.arg(flag);
    }
    rustc.arg(format!("-Clink-arg={argument}"));
    rustc.stdout(Stdio::null()).stderr(Stdio::null());
    rustc.status().ok()?.success().then_some(())
}
