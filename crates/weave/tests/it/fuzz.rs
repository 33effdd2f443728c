//! Damaged class files: an answer, never a panic, and never a class that cannot be read.

use watchword_classfile::ClassFile;
use watchword_classfile::source::MemoryClasses;
use watchword_weave::identity::{self, Held};
use watchword_weave::{Numbers, Outcome, SourceHierarchy, Weaver, runtime};

use crate::java::{Scratch, classes, compile};
use crate::jdk::jdks;
use crate::mass::{everything, source, weave_anything};

/// A small generator: the same numbers on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }
}

fn check(weaver: &Weaver, bytes: &[u8]) {
    let hierarchy = SourceHierarchy::new(MemoryClasses::default());
    if let Outcome::Woven(woven) = weaver.weave(bytes, &hierarchy, &Numbers::default()) {
        let class = ClassFile::parse(&woven.bytes).expect("a woven class can be read");
        for method in class.methods() {
            if let Some(code) = method.code().expect("its code can be read") {
                let all: Result<Vec<_>, _> = code.instructions().collect();
                all.expect("its instructions can be read");
            }
        }
    }
    let _ = identity::inject(bytes, &hierarchy, Held::Both);
}

#[test]
fn damaged_classes_are_answered() {
    let weaver = Weaver::new(&everything(), weave_anything());
    let mut seeds: Vec<Vec<u8>> = runtime::BASE.iter().map(|(_, bytes)| bytes.to_vec()).collect();
    if let Some(jdk) = jdks().first() {
        let scratch = Scratch::new("fuzz");
        compile(jdk, &[source("Serial.java"), source("LinkAll.java")], &[], &scratch.0);
        seeds.extend(classes(&scratch.0).into_values());
    }
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for _ in 0..4000 {
        let mut bytes = seeds[random.below(seeds.len())].clone();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.below(256) as u8,
                1 => bytes[at] ^= 1 << random.below(8),
                2 => {
                    bytes.remove(at);
                }
                _ => bytes.truncate(at.max(10)),
            }
        }
        check(&weaver, &bytes);
    }
}
