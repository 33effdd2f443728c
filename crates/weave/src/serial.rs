//! The `serialVersionUID` that a class has when it declares none.
//!
//! Java serialisation computes it from what a class looks like, so it would change with every
//! member that is added: a class that gets one is given the number it had before.

use watchword_classfile::{ClassFile, Constants, Decoded, Member, Result, access};

/// The name of the field.
pub const FIELD: &str = "serialVersionUID";

/// The number, as the Java Object Serialization Specification, section 4.6, defines it.
pub fn default_uid(class: &ClassFile<'_>) -> Result<i64> {
    let mut stream = Stream::default();
    let name = class.name()?.to_str().into_owned();
    stream.text(&name.replace('/', "."));
    let interface = class.has_access(access::INTERFACE);
    let kept = access::PUBLIC | access::FINAL | access::INTERFACE | access::ABSTRACT;
    let mut flags = modifiers(class, &name)? & kept;
    if interface {
        flags &= !access::ABSTRACT;
        if class.methods().len() > 0 {
            flags |= access::ABSTRACT;
        }
    }
    stream.int(flags.into());
    let mut interfaces = Vec::new();
    for interface in class.interface_names() {
        interfaces.push(interface?.to_str().replace('/', "."));
    }
    interfaces.sort();
    interfaces.iter().for_each(|name| stream.text(name));

    let mut fields = class.fields().map(signature).collect::<Result<Vec<_>>>()?;
    fields.sort();
    for (name, descriptor, flags) in fields {
        let kept = access::PUBLIC
            | access::PRIVATE
            | access::PROTECTED
            | access::STATIC
            | access::FINAL
            | access::VOLATILE
            | access::TRANSIENT;
        let hidden =
            flags & access::PRIVATE != 0 && flags & (access::STATIC | access::TRANSIENT) != 0;
        if !hidden {
            stream.member(&name, flags & kept, &descriptor);
        }
    }
    let mut methods = class.methods().map(signature).collect::<Result<Vec<_>>>()?;
    methods.sort();
    if methods.iter().any(|(name, ..)| name == "<clinit>") {
        stream.member("<clinit>", access::STATIC, "()V");
    }
    let constructor = |(name, ..): &&(String, String, u16)| name == "<init>";
    let ordinary = |(name, ..): &&(String, String, u16)| !name.starts_with('<');
    let constructors = methods.iter().filter(constructor);
    for (name, descriptor, flags) in constructors.chain(methods.iter().filter(ordinary)) {
        let kept = access::PUBLIC
            | access::PRIVATE
            | access::PROTECTED
            | access::STATIC
            | access::FINAL
            | access::SYNCHRONIZED
            | access::NATIVE
            | access::ABSTRACT
            | access::STRICT;
        if flags & access::PRIVATE == 0 {
            stream.member(name, flags & kept, &descriptor.replace('/', "."));
        }
    }
    let digest = sha1(&stream.0);
    Ok(digest[..8].iter().rev().fold(0, |sum: i64, byte| sum << 8 | i64::from(*byte)))
}

fn signature(member: Member<'_, '_>) -> Result<(String, String, u16)> {
    let name = member.name()?.to_str().into_owned();
    Ok((name, member.descriptor()?.to_str().into_owned(), member.access()))
}

/// The modifiers as reflection tells them: those of the source, for a nested class.
fn modifiers(class: &ClassFile<'_>, name: &str) -> Result<u16> {
    if let Some(Decoded::InnerClasses(table)) = class.attribute("InnerClasses")? {
        for row in table.iter() {
            if class.pool().class_name(row.inner)? == name {
                return Ok(row.access);
            }
        }
    }
    Ok(class.access)
}

/// Bytes as Java's `DataOutputStream` writes them.
#[derive(Default)]
struct Stream(Vec<u8>);

impl Stream {
    fn int(&mut self, value: u32) {
        self.0.extend(value.to_be_bytes());
    }

    fn text(&mut self, text: &str) {
        let encoded = watchword_classfile::encode_jstr(text);
        self.0.extend((encoded.len() as u16).to_be_bytes());
        self.0.extend_from_slice(&encoded);
    }

    fn member(&mut self, name: &str, flags: u16, signature: &str) {
        self.text(name);
        self.int(flags.into());
        self.text(signature);
    }
}

/// SHA-1. Nothing here depends on its strength: the number is what old streams say it is.
fn sha1(data: &[u8]) -> [u8; 20] {
    let mut state = [0x6745_2301u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let mut message = data.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((data.len() as u64 * 8).to_be_bytes());
    for block in message.chunks_exact(64) {
        let mut words = [0u32; 80];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = bytes.iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
        }
        for i in 16..80 {
            words[i] = (words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16]).rotate_left(1);
        }
        let [mut a, mut b, mut c, mut d, mut e] = state;
        for (i, word) in words.iter().enumerate() {
            let (mixed, constant) = match i / 20 {
                0 => (b & c | !b & d, 0x5a82_7999),
                1 => (b ^ c ^ d, 0x6ed9_eba1),
                2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
                _ => (b ^ c ^ d, 0xca62_c1d6),
            };
            let next = a
                .rotate_left(5)
                .wrapping_add(mixed)
                .wrapping_add(e)
                .wrapping_add(constant)
                .wrapping_add(*word);
            (a, b, c, d, e) = (next, a, b.rotate_left(30), c, d);
        }
        for (sum, value) in state.iter_mut().zip([a, b, c, d, e]) {
            *sum = sum.wrapping_add(value);
        }
    }
    let mut digest = [0; 20];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::sha1;

    #[test]
    fn digests() {
        let hex = |data: &[u8]| sha1(data).map(|byte| format!("{byte:02x}")).concat();
        assert_eq!(hex(b"abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
        assert_eq!(hex(b""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
    }
}
