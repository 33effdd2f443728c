//! The functions that `watchword.flink.Native` declares.
//!
//! A handle is the address of a box that Rust owns, as a `long`. The Java side gives every handle back once, to
//! the function that frees its kind, and uses it from one thread at a time; `0` is no handle.

#![allow(unsafe_code, reason = "the JVM is reached through a table of functions")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use jni_sys::{JNIEnv, jarray, jboolean, jbyteArray, jclass, jint, jlong};

use crate::{Job, JobError, Shard, Source};

/// Calls a function of the JVM's table.
macro_rules! call {
    ($env:expr, $function:ident $(, $arg:expr)*) => {
        // SAFETY: `$env` is the JVM's own, of this thread; every function of JNI 1.6 is in the table; arguments
        // are what the JVM gave or made.
        unsafe { (**$env).$function.expect("a function of JNI")($env $(, $arg)*) }
    };
}

type Env = *mut JNIEnv;

/// The contents of an array of bytes.
fn bytes_of(env: Env, array: jbyteArray) -> Vec<u8> {
    let length = call!(env, GetArrayLength, array as jarray);
    let mut bytes = vec![0u8; length.max(0) as usize];
    call!(env, GetByteArrayRegion, array, 0, length, bytes.as_mut_ptr().cast());
    bytes
}

/// An array with these bytes; null if there are none, or if the JVM has no memory, which it then says.
fn array_of(env: Env, bytes: &[u8]) -> jbyteArray {
    let Ok(length) = jint::try_from(bytes.len()) else {
        throw(env, "over 2 GiB at once: use more shards, or checkpoints more often");
        return std::ptr::null_mut();
    };
    if length == 0 {
        return std::ptr::null_mut();
    }
    let array = call!(env, NewByteArray, length);
    if !array.is_null() {
        call!(env, SetByteArrayRegion, array, 0, length, bytes.as_ptr().cast());
    }
    array
}

fn throw(env: Env, message: &str) {
    let class = call!(env, FindClass, c"java/lang/IllegalStateException".as_ptr());
    let message = std::ffi::CString::new(message.replace('\0', "?")).unwrap_or_default();
    if !class.is_null() {
        call!(env, ThrowNew, class, message.as_ptr());
    }
}

/// What a function gives, or its error or panic as an exception.
fn guarded<T>(env: Env, otherwise: T, body: impl FnOnce() -> Result<T, JobError>) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => value,
        Ok(Err(error)) => {
            throw(env, &error.to_string());
            otherwise
        }
        Err(_) => {
            throw(env, "internal error in watchword's library; see the log of the task manager");
            otherwise
        }
    }
}

/// A handle for a value.
fn handle<T>(value: T) -> jlong {
    Box::into_raw(Box::new(value)) as jlong
}

/// The value of a handle.
fn at<'h, T>(handle: jlong) -> Result<&'h mut T, JobError> {
    let pointer = handle as *mut T;
    // SAFETY: the Java side passes only handles of this kind, which it has not given back, and one thread uses
    // a handle at a time.
    unsafe { pointer.as_mut() }.ok_or_else(|| JobError("it is closed".to_string()))
}

/// Ends the life of a handle.
fn free<T>(handle: jlong) {
    if handle != 0 {
        // SAFETY: it came from `handle`, of the same type, and is given back once.
        drop(unsafe { Box::from_raw(handle as *mut T) });
    }
}

/// Opens a job: properties, options, names of traces with a line break between them.
///
/// # Safety
/// To be called by the JVM; as all functions here.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_open(
    env: Env,
    _: jclass,
    properties: jbyteArray,
    options: jbyteArray,
    traces: jbyteArray,
) -> jlong {
    guarded(env, 0, || {
        let text = |array| String::from_utf8_lossy(&bytes_of(env, array)).into_owned();
        let (options, traces) = (text(options), text(traces));
        let traces: Vec<&str> = traces.lines().collect();
        Ok(handle(Job::open(&bytes_of(env, properties), &options, &traces)?))
    })
}

/// Closes a job.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_close(_: Env, _: jclass, job: jlong) {
    free::<Arc<Job>>(job);
}

/// A source of a trace that was last written at that time, in milliseconds; below 0, it is not known.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_source(
    env: Env,
    _: jclass,
    job: jlong,
    trace: jint,
    written: jlong,
) -> jlong {
    guarded(env, 0, || {
        let written = (written >= 0).then(|| written.saturating_mul(1_000_000));
        Ok(handle(Source::new(at::<Arc<Job>>(job)?, trace as usize, written)?))
    })
}

/// Closes a source.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_closeSource(_: Env, _: jclass, source: jlong) {
    free::<Source>(source);
}

/// Reads bytes of a trace; answers the watermark, or the least number.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_feed(
    env: Env,
    _: jclass,
    source: jlong,
    bytes: jbyteArray,
    is_last: jboolean,
    pass_over: jboolean,
) -> jlong {
    guarded(env, jlong::MIN, || {
        let source = at::<Source>(source)?;
        source.feed(&bytes_of(env, bytes), is_last != 0, pass_over != 0)?;
        Ok(source.watermark().unwrap_or(jlong::MIN))
    })
}

/// The events for a shard, or null.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_take(
    env: Env,
    _: jclass,
    source: jlong,
    shard: jint,
) -> jbyteArray {
    guarded(env, std::ptr::null_mut(), || {
        Ok(array_of(env, &at::<Source>(source)?.take(shard as usize)))
    })
}

/// How many lines were skipped.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_skipped(
    env: Env,
    _: jclass,
    source: jlong,
) -> jlong {
    guarded(env, 0, || Ok(at::<Source>(source)?.skipped() as jlong))
}

/// A shard as it was saved, or at the start for null.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_shard(
    env: Env,
    _: jclass,
    job: jlong,
    number: jint,
    saved: jbyteArray,
) -> jlong {
    guarded(env, 0, || {
        let (job, number) = (at::<Arc<Job>>(job)?, number as usize);
        Ok(handle(match saved.is_null() {
            true => Shard::new(job, number),
            false => Shard::restore(job, number, &bytes_of(env, saved))?,
        }))
    })
}

/// Closes a shard.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_closeShard(_: Env, _: jclass, shard: jlong) {
    free::<Shard>(shard);
}

/// Adds events; answers late ones as lines, or null.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_add(
    env: Env,
    _: jclass,
    shard: jlong,
    events: jbyteArray,
) -> jbyteArray {
    guarded(env, std::ptr::null_mut(), || {
        let late = at::<Shard>(shard)?.add(&bytes_of(env, events))?;
        Ok(array_of(env, late.as_bytes()))
    })
}

/// Steps events up to a watermark, all for the largest number; answers violations as lines, or null.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_advance(
    env: Env,
    _: jclass,
    shard: jlong,
    watermark: jlong,
) -> jbyteArray {
    guarded(env, std::ptr::null_mut(), || {
        let shard = at::<Shard>(shard)?;
        let found = match watermark {
            jlong::MAX => shard.end(),
            watermark => shard.advance(watermark),
        };
        Ok(array_of(env, found.as_bytes()))
    })
}

/// A shard as bytes.
#[unsafe(no_mangle)]
pub extern "system" fn Java_watchword_flink_Native_save(
    env: Env,
    _: jclass,
    shard: jlong,
) -> jbyteArray {
    guarded(env, std::ptr::null_mut(), || Ok(array_of(env, &at::<Shard>(shard)?.save())))
}
