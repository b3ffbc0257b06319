// SPDX-License-Identifier: MIT OR Apache-2.0
//! A copy of the source tree, and files of it that are changed for a while.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The copy.
pub struct Tree {
    base: PathBuf,
}

impl Tree {
    /// Copies all files below `root` that Git knows or would add to a folder below `base`. The
    /// folder `shared` beside `root` is beside the copy too.
    pub fn copy(root: &Path, base: &Path) -> Result<Tree> {
        let tree = Tree {
            base: base.to_owned(),
        };
        if tree.folder().exists() {
            fs::remove_dir_all(tree.folder())?;
        }
        let listed = Command::new("git")
            .args([
                "ls-files",
                "-z",
                "--cached",
                "--others",
                "--exclude-standard",
            ])
            .current_dir(root)
            .output()
            .context("cannot start git")?;
        ensure!(listed.status.success(), "git cannot list the tree");
        let names = String::from_utf8(listed.stdout)?;
        for name in names.split_terminator('\0') {
            let (from, to) = (root.join(name), tree.folder().join(name));
            if from.is_file() {
                fs::create_dir_all(to.parent().context("a folder")?)?;
                fs::copy(&from, &to).with_context(|| from.display().to_string())?;
            }
        }
        let (shared, link) = (root.join("../shared"), base.join("shared"));
        #[cfg(unix)]
        if shared.is_dir() && !link.exists() {
            std::os::unix::fs::symlink(shared.canonicalize()?, link)?;
        }
        Ok(tree)
    }

    /// Where the copy is.
    pub fn folder(&self) -> PathBuf {
        self.base.join("tree")
    }

    /// Where it is built.
    pub fn target(&self) -> PathBuf {
        self.base.join("target")
    }

    /// The text of the file `name`.
    pub fn read(&self, name: &str) -> Result<String> {
        let path = self.folder().join(name);
        fs::read_to_string(&path).with_context(|| path.display().to_string())
    }

    /// Changes the file `name` by `change` until the result is dropped.
    pub fn with(&self, name: &str, change: impl FnOnce(&str) -> Result<String>) -> Result<Broken> {
        let (path, text) = (self.folder().join(name), self.read(name)?);
        fs::write(&path, change(&text)?)?;
        Ok(Broken { path, text })
    }
}

/// A file that is whole again when this is dropped.
pub struct Broken {
    path: PathBuf,
    text: String,
}

impl Drop for Broken {
    fn drop(&mut self) {
        // The next start copies the tree again, whatever becomes of this.
        let _ = fs::write(&self.path, &self.text);
    }
}
