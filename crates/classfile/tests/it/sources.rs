//! Jars, jmods, images and directories.

use std::process::Command;

use watchword_classfile::source::{
    ClassPath, ClassSource, Directory, JImage, Jar, Zip, is_signature,
};
use watchword_classfile::{ClassEditor, ClassFile};

use crate::java::Scratch;
use crate::jdk::{Jdk, jdks};

/// A class that says which version it is by its superclass.
fn class(name: &str, version: &str) -> Vec<u8> {
    ClassEditor::create(52, 0x21, name, version).unwrap().to_bytes().unwrap()
}

fn version(source: &impl ClassSource, name: &str) -> Option<String> {
    let bytes = source.class(name).unwrap()?;
    let class = ClassFile::parse(&bytes).unwrap();
    assert_eq!(class.name().unwrap(), name);
    Some(class.super_name().unwrap().unwrap().to_string())
}

fn jar(jdk: &Jdk, arguments: &[&str], directory: &Scratch) {
    let done =
        Command::new(jdk.tool("jar")).args(arguments).current_dir(&directory.0).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

#[test]
fn jars_made_by_the_jdk() {
    for jdk in jdks() {
        let dir = Scratch::new("jar");
        dir.write("m.txt", b"Main-Class: app.Main\nMulti-Release: true\nClass-Path: x.jar y.jar\n");
        dir.write("in/app/Main.class", &class("app/Main", "base"));
        dir.write("in/app/Only.class", &class("app/Only", "base"));
        for release in ["8", "9", "11", "21"] {
            let path = format!("in/META-INF/versions/{release}/app/Main.class");
            dir.write(&path, &class("app/Main", &format!("v{release}")));
        }
        dir.write("in/META-INF/versions/21/app/New.class", &class("app/New", "v21"));
        jar(jdk, &["cfm", "a.jar", "m.txt", "-C", "in", "."], &dir);
        let bytes = std::fs::read(dir.0.join("a.jar")).unwrap();
        for (release, expected) in [(8, "base"), (9, "v9"), (10, "v9"), (17, "v11"), (25, "v21")] {
            let jar = Jar::parse(bytes.as_slice(), release).unwrap();
            assert_eq!(version(&jar, "app/Main").as_deref(), Some(expected), "release {release}");
            assert_eq!(version(&jar, "app/Only").as_deref(), Some("base"));
            assert_eq!(jar.class("app/New").unwrap().is_some(), release >= 21);
            assert_eq!(jar.manifest().main_class(), Some("app.Main"));
            assert_eq!(jar.manifest().class_path().count(), 2);
            assert!(!jar.is_signed());
        }

        // An application archive with jars inside, stored and deflated.
        dir.write("boot/BOOT-INF/classes/web/App.class", &class("web/App", "boot"));
        std::fs::create_dir_all(dir.0.join("boot/BOOT-INF/lib")).unwrap();
        std::fs::copy(dir.0.join("a.jar"), dir.0.join("boot/BOOT-INF/lib/a.jar")).unwrap();
        dir.write("boot/META-INF/KEY.SF", b"Signature-Version: 1.0\n");
        jar(jdk, &["cf", "deflated.jar", "-C", "boot", "."], &dir);
        jar(jdk, &["cf0", "stored.jar", "-C", "boot", "."], &dir);
        for file in ["deflated.jar", "stored.jar"] {
            let mut bytes = std::fs::read(dir.0.join(file)).unwrap();
            // A script in front, as executable jars have it.
            bytes.splice(0..0, *b"#!/bin/sh\nexec java -jar \"$0\"\n");
            let jar = Jar::parse(bytes, 17).unwrap();
            assert_eq!(jar.nested().len(), 1);
            assert_eq!(jar.nested()[0].path, "BOOT-INF/lib/a.jar");
            assert_eq!(version(&jar, "web/App").as_deref(), Some("boot"));
            assert_eq!(version(&jar, "app/Main").as_deref(), Some("v11"));
            assert_eq!(jar.names().unwrap(), ["app/Main", "app/Only", "web/App"]);
            assert_eq!(jar.signature_files().collect::<Vec<_>>(), ["META-INF/KEY.SF"]);
        }
    }
}

#[test]
fn signature_files_by_name() {
    for path in
        ["META-INF/A.SF", "META-INF/a.rsa", "META-INF/A.DSA", "META-INF/x.EC", "META-INF/SIG-1"]
    {
        assert!(is_signature(path), "{path}");
    }
    for path in ["META-INF/MANIFEST.MF", "META-INF/sub/A.SF", "A.SF", "META-INF/A.SFX"] {
        assert!(!is_signature(path), "{path}");
    }
}

#[test]
fn jmods_hold_the_classes_of_the_image() {
    for jdk in jdks() {
        let path = jdk.home.join("jmods/java.logging.jmod");
        let Ok(bytes) = std::fs::read(&path) else {
            eprintln!("SKIPPED: {} has no jmods", jdk.name());
            continue;
        };
        let jmod = Jar::parse_jmod(bytes.as_slice(), 17).unwrap();
        let names = jmod.names().unwrap();
        assert!(names.contains(&"java/util/logging/Logger".to_owned()));
        for name in &names {
            assert_eq!(jmod.class(name).unwrap(), jdk.image.class(name).unwrap(), "{name}");
        }
        assert!(Jar::parse_jmod(&bytes[4..], 17).is_err());
    }
}

#[test]
fn image_look_up_finds_what_listing_shows() {
    for jdk in jdks() {
        let names = jdk.image.names().unwrap();
        assert!(names.len() > 20_000);
        for name in names.iter().step_by(101) {
            let bytes = jdk.image.class(name).unwrap().unwrap_or_else(|| panic!("{name}"));
            assert_eq!(ClassFile::parse(&bytes).unwrap().name().unwrap(), name.as_str());
        }
        assert!(jdk.image.class("java/lang/Objekt").unwrap().is_none());
        assert!(jdk.image.class("nowhere/A").unwrap().is_none());
        assert!(jdk.image.class("").unwrap().is_none());
        let module = jdk.image.module_of("java.util.logging").unwrap().unwrap();
        assert_eq!(module, "java.logging");
    }
}

/// Builds a run-time image. Resources are `module`, `directory`, `name`, `extension`, contents.
pub fn build_image(resources: &[[&str; 4]], contents: &[Vec<u8>], big_endian: bool) -> Vec<u8> {
    let word = |value: u32| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
    let hash = |name: &str, seed: u32| {
        let step = |sum: u32, byte| sum.wrapping_mul(0x0100_0193) ^ u32::from(byte);
        name.bytes().fold(seed, step) & 0x7fff_ffff
    };
    let (mut strings, mut locations, mut data) = (vec![0u8], vec![0u8], Vec::<u8>::new());
    let mut intern = |text: &str| {
        if text.is_empty() {
            return 0;
        }
        let at = strings.len() as u32;
        strings.extend(text.as_bytes());
        strings.push(0);
        at
    };
    let mut offsets_of = Vec::new();
    for (parts, content) in resources.iter().zip(contents) {
        offsets_of.push(locations.len() as u32);
        let mut attribute = |kind: u8, value: u32| {
            locations.push(kind << 3 | 3);
            locations.extend(value.to_be_bytes());
        };
        for (kind, part) in (1u8..).zip(parts) {
            attribute(kind, intern(part));
        }
        attribute(5, data.len() as u32);
        if content.starts_with(&word(0xCAFE_FAFA)) {
            attribute(6, content.len() as u32);
        }
        attribute(7, content.len() as u32);
        locations.push(0);
        data.extend(content);
    }
    let names: Vec<String> = resources
        .iter()
        .map(|[module, directory, name, extension]| {
            let directory =
                if directory.is_empty() { String::new() } else { format!("{directory}/") };
            format!("/{module}/{directory}{name}.{extension}")
        })
        .collect();
    // Every bucket gets a seed that spreads its names over free slots.
    let n = names.len() as u32;
    let (mut redirect, mut offsets) = (vec![0i32; names.len()], vec![0u32; names.len()]);
    let mut taken = vec![false; names.len()];
    let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    for (i, name) in names.iter().enumerate() {
        buckets[(hash(name, 0x0100_0193) % n) as usize].push(i);
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|bucket| std::cmp::Reverse(buckets[*bucket].len()));
    for bucket in order {
        let members = &buckets[bucket];
        if let [only] = members[..] {
            let slot = taken.iter().position(|taken| !taken).unwrap();
            taken[slot] = true;
            redirect[bucket] = -1 - slot as i32;
            offsets[slot] = offsets_of[only];
            continue;
        }
        for seed in 1.. {
            let slots: Vec<usize> =
                members.iter().map(|i| (hash(&names[*i], seed) % n) as usize).collect();
            let distinct: std::collections::BTreeSet<_> = slots.iter().collect();
            if distinct.len() == slots.len() && slots.iter().all(|slot| !taken[*slot]) {
                for (slot, i) in slots.iter().zip(members) {
                    taken[*slot] = true;
                    offsets[*slot] = offsets_of[*i];
                }
                redirect[bucket] = if members.is_empty() { 0 } else { seed as i32 };
                break;
            }
        }
    }
    let mut out = Vec::new();
    let header = [0xCAFE_DADA, 1 << 16, 0, n, n, locations.len() as u32, strings.len() as u32];
    header.iter().for_each(|value| out.extend(word(*value)));
    redirect.iter().for_each(|value| out.extend(word(*value as u32)));
    offsets.iter().for_each(|value| out.extend(word(*value)));
    out.extend(locations);
    out.extend(strings);
    out.extend(data);
    out
}

#[test]
fn images_of_either_byte_order() {
    for big_endian in [false, true] {
        let word = |value: u32| if big_endian { value.to_be_bytes() } else { value.to_le_bytes() };
        let resources = [
            ["m.one", "p/q", "A", "class"],
            ["m.one", "p/q", "B", "class"],
            ["m.two", "r", "C", "class"],
            ["m.two", "", "module-info", "class"],
            ["m.two", "r", "text", "properties"],
            ["packages", "", "p", "q"],
        ];
        // “m.one” is the first string interned.
        let package = [word(0), word(1)].concat();
        let contents = vec![
            class("p/q/A", "x"),
            class("p/q/B", "y"),
            class("r/C", "z"),
            vec![],
            b"k=v".to_vec(),
            package,
        ];
        let image = JImage::parse(build_image(&resources, &contents, big_endian)).unwrap();
        assert_eq!(image.names().unwrap(), ["p/q/A", "p/q/B", "r/C"]);
        assert_eq!(image.class("p/q/B").unwrap().unwrap(), contents[1]);
        let text = image.find("/m.two/r/text.properties").unwrap().unwrap();
        assert_eq!(image.content(&text).unwrap(), contents[4]);
        assert!(image.find("/m.two/r/text").unwrap().is_none());
    }
}

/// A resource as `jlink --compress zip` stores it: a header and a zlib stream, here of one stored
/// block.
fn compressed(content: &[u8], name: u32, big_endian: bool) -> Vec<u8> {
    let number = |value: u64, len: usize| {
        let bytes = value.to_be_bytes()[8 - len..].to_vec();
        if big_endian { bytes } else { bytes.into_iter().rev().collect() }
    };
    let (mut a, mut b) = (1u32, 0u32);
    for byte in content {
        a = (a + u32::from(*byte)) % 65521;
        b = (b + a) % 65521;
    }
    let len = content.len() as u16;
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(len.to_le_bytes());
    stream.extend((!len).to_le_bytes());
    stream.extend(content);
    stream.extend((b << 16 | a).to_be_bytes());
    let mut out = number(0xCAFE_FAFA, 4);
    out.extend(number(stream.len() as u64, 8));
    out.extend(number(content.len() as u64, 8));
    out.extend(number(name.into(), 4));
    out.extend([0, 0, 0, 0, 1]);
    out.extend(stream);
    out
}

#[test]
fn compressed_images() {
    for big_endian in [false, true] {
        // The first two strings are at 1 and 5 of the table.
        let resources =
            [["zip", "odd", "A", "class"], ["zip", "p", "B", "class"], ["zip", "p", "C", "class"]];
        let contents = vec![
            compressed(b"first", 1, big_endian),
            compressed(&compressed(b"twice", 1, big_endian), 1, big_endian),
            compressed(b"third", 5, big_endian),
        ];
        let image = JImage::parse(build_image(&resources, &contents, big_endian)).unwrap();
        let read = |name: &str| image.content(&image.find(name).unwrap().unwrap());
        assert_eq!(&*read("/zip/odd/A.class").unwrap(), b"first");
        assert_eq!(&*read("/zip/p/B.class").unwrap(), b"twice");
        let error = read("/zip/p/C.class").unwrap_err();
        assert!(error.is_unsupported() && error.to_string().contains("odd"), "{error}");
    }
}

/// An archive of one stored entry, with all the 64-bit records, behind a prefix of odd length.
#[test]
fn archives_with_64_bit_records() {
    let (name, content) = (b"a/A.txt", b"123456789");
    let mut zip = Vec::new();
    let u2 =
        |out: &mut Vec<u8>, values: &[u16]| values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    let u4 =
        |out: &mut Vec<u8>, values: &[u32]| values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    let u8 =
        |out: &mut Vec<u8>, values: &[u64]| values.iter().for_each(|v| out.extend(v.to_le_bytes()));
    u4(&mut zip, &[0x0403_4b50]);
    u2(&mut zip, &[45, 0, 0, 0, 0]);
    u4(&mut zip, &[0xcbf4_3926, u32::MAX, u32::MAX]);
    u2(&mut zip, &[7, 0]);
    zip.extend(name);
    zip.extend(content);
    let directory = zip.len() as u64;
    u4(&mut zip, &[0x0201_4b50]);
    u2(&mut zip, &[45, 45, 0, 0, 0, 0]);
    u4(&mut zip, &[0xcbf4_3926, u32::MAX, u32::MAX]);
    u2(&mut zip, &[7, 28, 0, 0, 0]);
    u4(&mut zip, &[0, u32::MAX]);
    zip.extend(name);
    u2(&mut zip, &[1, 24]);
    u8(&mut zip, &[9, 9, 0]);
    let end = zip.len() as u64;
    u4(&mut zip, &[0x0606_4b50]);
    u8(&mut zip, &[44]);
    u2(&mut zip, &[45, 45]);
    u4(&mut zip, &[0, 0]);
    u8(&mut zip, &[1, 1, end - directory, directory]);
    u4(&mut zip, &[0x0706_4b50, 0]);
    u8(&mut zip, &[end]);
    u4(&mut zip, &[1, 0x0605_4b50]);
    u2(&mut zip, &[0, 0, u16::MAX, u16::MAX]);
    u4(&mut zip, &[u32::MAX, u32::MAX]);
    u2(&mut zip, &[0]);
    for prefix in ["", "#!/bin/sh\n"] {
        let mut bytes = prefix.as_bytes().to_vec();
        bytes.extend(&zip);
        let zip = Zip::parse(bytes).unwrap();
        assert_eq!(zip.entries().len(), 1);
        assert_eq!(&*zip.read("a/A.txt").unwrap().unwrap(), content, "{prefix:?}");
    }
}

#[test]
fn directories_and_class_paths() {
    let paths = ["a/A.class", "a/readme.txt", "module-info.class"].map(String::from);
    let first = Directory::new(paths, |path| (path == "a/A.class").then(|| class("a/A", "first")));
    let second = Directory::new(["a/A.class", "b/B.class"].map(String::from), |path| {
        path.strip_suffix(".class").map(|name| class(name, "second"))
    });
    let mut path = ClassPath::new();
    path.push(first);
    path.push(second);
    assert_eq!(path.names().unwrap(), ["a/A", "b/B"]);
    assert_eq!(version(&path, "a/A").as_deref(), Some("first"));
    assert_eq!(version(&path, "b/B").as_deref(), Some("second"));
    assert_eq!(version(&path, "c/C"), None);
}

#[test]
fn a_damaged_archive_is_refused() {
    let Some(jdk) = jdks().first() else { return };
    let dir = Scratch::new("damage");
    dir.write("in/A.class", &class("A", "java/lang/Object"));
    jar(jdk, &["cf", "a.jar", "-C", "in", "."], &dir);
    let good = std::fs::read(dir.0.join("a.jar")).unwrap();
    let at = Zip::parse(good.as_slice()).unwrap();
    assert!(at.read("A.class").unwrap().is_some());
    let data = good.windows(7).position(|w| w == b"A.class").unwrap() + 7;
    let mut bad = good.clone();
    bad[data + 12] ^= 0x10;
    let error = Zip::parse(bad.as_slice()).unwrap().read("A.class").unwrap_err();
    assert!(error.is_malformed() && error.to_string().contains("A.class"), "{error}");
    assert!(Zip::parse(&good[..good.len() - 30]).is_err());
    assert!(Zip::parse(b"".as_slice()).is_err());
}
