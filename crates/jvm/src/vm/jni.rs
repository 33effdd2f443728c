//! The Java Native Interface: what the agent calls of it.
//!
//! Positions in the table are those of `jni.h`, which have been the same since JDK 1.2; a test
//! compares them with the headers of every JDK it finds.

use std::ffi::{CStr, CString, c_char, c_void};

use watchword_model::Value;

use super::entry;

/// A reference to a Java object, valid in one thread until its frame ends; may be null.
pub type Object = *mut c_void;
/// A reference to a class.
pub type Class = Object;
/// A method.
pub type MethodId = *mut c_void;
/// A field.
pub type FieldId = *mut c_void;

/// An argument of a Java method.
#[derive(Clone, Copy)]
#[repr(C)]
pub union Argument {
    /// `int` and narrower.
    pub int: i32,
    /// `long`.
    pub long: i64,
    /// A reference.
    pub object: Object,
}

/// A native method to register.
#[repr(C)]
pub struct NativeMethod {
    /// Its name.
    pub name: *const c_char,
    /// Its descriptor.
    pub descriptor: *const c_char,
    /// Its code.
    pub code: *mut c_void,
}

/// The positions of the functions used here, by the names of `jni.h`.
pub const JNI_POSITIONS: &[(&str, usize)] = &[
    ("DefineClass", 5),
    ("FindClass", 6),
    ("Throw", 13),
    ("ThrowNew", 14),
    ("ExceptionOccurred", 15),
    ("ExceptionClear", 17),
    ("PushLocalFrame", 19),
    ("PopLocalFrame", 20),
    ("NewGlobalRef", 21),
    ("DeleteLocalRef", 23),
    ("NewObjectA", 30),
    ("GetObjectClass", 31),
    ("GetMethodID", 33),
    ("CallObjectMethodA", 36),
    ("CallIntMethodA", 51),
    ("CallLongMethodA", 54),
    ("CallVoidMethodA", 63),
    ("GetFieldID", 94),
    ("GetObjectField", 95),
    ("GetLongField", 101),
    ("GetStaticMethodID", 113),
    ("CallStaticObjectMethodA", 116),
    ("CallStaticVoidMethodA", 143),
    ("GetSuperclass", 10),
    ("CallBooleanMethodA", 39),
    ("CallByteMethodA", 42),
    ("CallCharMethodA", 45),
    ("CallShortMethodA", 48),
    ("CallFloatMethodA", 57),
    ("CallDoubleMethodA", 60),
    ("GetBooleanField", 96),
    ("GetByteField", 97),
    ("GetCharField", 98),
    ("GetShortField", 99),
    ("GetIntField", 100),
    ("GetFloatField", 102),
    ("GetDoubleField", 103),
    ("GetStaticObjectField", 145),
    ("GetStaticBooleanField", 146),
    ("GetStaticByteField", 147),
    ("GetStaticCharField", 148),
    ("GetStaticShortField", 149),
    ("GetStaticIntField", 150),
    ("GetStaticLongField", 151),
    ("GetStaticFloatField", 152),
    ("GetStaticDoubleField", 153),
    ("NewObjectArray", 172),
    ("GetObjectArrayElement", 173),
    ("SetObjectArrayElement", 174),
    ("GetLongArrayRegion", 204),
    ("GetStaticFieldID", 144),
    ("SetStaticBooleanField", 155),
    ("CallStaticBooleanMethodA", 119),
    ("CallStaticLongMethodA", 134),
    ("NewStringUTF", 167),
    ("GetArrayLength", 171),
    ("GetByteArrayRegion", 200),
    ("NewByteArray", 176),
    ("NewLongArray", 180),
    ("SetLongArrayRegion", 212),
    ("SetByteArrayRegion", 208),
    ("RegisterNatives", 215),
    ("GetStringLength", 164),
    ("GetStringRegion", 220),
    ("ExceptionCheck", 228),
];

/// The environment of the current thread.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Jni(*mut c_void);

/// Functions that are called with the environment first.
macro_rules! call {
    ($env:expr, $index:literal, fn($($ty:ty),*) $(-> $result:ty)?, $($arg:expr),*) => {{
        // SAFETY: a `Jni` is made only from the environment a JVM handed to this thread, so its
        // table is complete; position and signature are those of `jni.h`, checked by a test.
        // Arguments are references of this thread, ids of the right class, or buffers that live
        // across the call: see the methods below.
        unsafe {
            let function: extern "system" fn(*mut c_void $(, $ty)*) $(-> $result)? =
                entry($env.0, $index);
            function($env.0 $(, $arg)*)
        }
    }};
}

/// A text as the JVM wants it; in modified UTF-8 no byte is NUL.
fn c_text(text: &str) -> CString {
    CString::new(watchword_classfile::encode_jstr(text)).unwrap_or_default()
}

impl Jni {
    /// The environment a JVM passed to a function of ours.
    ///
    /// # Safety
    /// `env` must be the `JNIEnv*` of the current thread; the result must not leave it.
    #[inline(always)]
    pub unsafe fn from_raw(env: *mut c_void) -> Jni {
        Jni(env)
    }

    /// Whether there is an environment: before the VM has started there is none.
    pub fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The address of the environment: no two threads that run have the same.
    #[inline(always)]
    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// Defines a class in the bootstrap loader; null with an exception if it cannot be.
    pub fn define_boot_class(self, name: &str, bytes: &[u8]) -> Class {
        self.define_class(name, std::ptr::null_mut(), bytes)
    }

    /// Defines a class in a loader; null with an exception if it cannot be.
    pub fn define_class(self, name: &str, loader: Object, bytes: &[u8]) -> Class {
        let name = c_text(name);
        let length = i32::try_from(bytes.len()).unwrap_or(0);
        let data = bytes.as_ptr();
        call!(
            self,
            5,
            fn(*const c_char, Object, *const u8, i32) -> Class,
            name.as_ptr(),
            loader,
            data,
            length
        )
    }

    /// A class by its internal name; null, without an exception, if there is none.
    pub fn find_class(self, name: &str) -> Class {
        let name = c_text(name);
        let class = call!(self, 6, fn(*const c_char) -> Class, name.as_ptr());
        self.clear_exception();
        class
    }

    /// Makes a new exception with a message pending.
    pub fn throw_new(self, class: Class, message: &str) {
        let message = c_text(message);
        call!(self, 14, fn(Class, *const c_char) -> i32, class, message.as_ptr());
    }

    /// The pending exception, or null.
    pub fn exception(self) -> Object {
        call!(self, 15, fn() -> Object,)
    }

    /// Forgets the pending exception; answers whether there was one.
    pub fn clear_exception(self) -> bool {
        let pending = self.exception_pending();
        if pending {
            call!(self, 17, fn(),);
        }
        pending
    }

    /// What a call of Java gave. Whoever calls Java has to look whether it threw something before the
    /// next call, or a JVM that watches over such rules (`-Xcheck:jni`) complains to the program.
    fn looked<T>(self, result: T) -> T {
        self.exception_pending();
        result
    }

    /// Whether an exception is pending.
    pub fn exception_pending(self) -> bool {
        call!(self, 228, fn() -> u8,) != 0
    }

    /// Runs `body` in a frame of references of its own and drops those at its end.
    pub fn framed<T>(self, capacity: i32, body: impl FnOnce() -> T) -> Option<T> {
        if call!(self, 19, fn(i32) -> i32, capacity) != 0 {
            self.clear_exception();
            return None;
        }
        let result = body();
        call!(self, 20, fn(Object) -> Object, std::ptr::null_mut());
        Some(result)
    }

    /// As [`Jni::framed`], for something that gives a reference, which is kept.
    pub fn framed_object(self, capacity: i32, body: impl FnOnce() -> Object) -> Object {
        if call!(self, 19, fn(i32) -> i32, capacity) != 0 {
            self.clear_exception();
            return std::ptr::null_mut();
        }
        let result = body();
        call!(self, 20, fn(Object) -> Object, result)
    }

    /// An array of references; null, without an exception, if there is no memory.
    pub fn new_array(self, class: Class, elements: &[Object]) -> Object {
        let length = i32::try_from(elements.len()).unwrap_or(0);
        let array =
            call!(self, 172, fn(i32, Class, Object) -> Object, length, class, std::ptr::null_mut());
        if self.clear_exception() || array.is_null() {
            return std::ptr::null_mut();
        }
        for (at, element) in (0..length).zip(elements) {
            call!(self, 174, fn(Object, i32, Object), array, at, *element);
            self.exception_pending();
        }
        array
    }

    /// Deletes a local reference.
    pub fn delete_local(self, object: Object) {
        call!(self, 23, fn(Object), object);
    }

    /// The class of an object that is not null.
    #[inline]
    pub fn class_of(self, object: Object) -> Class {
        call!(self, 31, fn(Object) -> Class, object)
    }

    /// The superclass; null for `Object` and interfaces.
    pub fn super_class(self, class: Class) -> Class {
        call!(self, 10, fn(Class) -> Class, class)
    }

    /// Whether objects of a class are of another type.
    pub fn is_assignable(self, class: Class, to: Class) -> bool {
        call!(self, 11, fn(Class, Class) -> u8, class, to) != 0
    }

    /// A method; null, without an exception, if there is none or no class.
    pub fn method(self, class: Class, name: &str, descriptor: &str) -> MethodId {
        if class.is_null() {
            return std::ptr::null_mut();
        }
        let (name, descriptor) = (c_text(name), c_text(descriptor));
        let id = call!(
            self,
            33,
            fn(Class, *const c_char, *const c_char) -> MethodId,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        self.clear_exception();
        id
    }

    /// A static method; null, without an exception, if there is none or no class.
    pub fn static_method(self, class: Class, name: &str, descriptor: &str) -> MethodId {
        if class.is_null() {
            return std::ptr::null_mut();
        }
        let (name, descriptor) = (c_text(name), c_text(descriptor));
        let id = call!(
            self,
            113,
            fn(Class, *const c_char, *const c_char) -> MethodId,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        self.clear_exception();
        id
    }

    /// An object of a class, by its constructor without parameters; null if there is none.
    pub fn new_object(self, class: Class) -> Object {
        let constructor = self.method(class, "<init>", "()V");
        if constructor.is_null() {
            return std::ptr::null_mut();
        }
        let none: *const Argument = std::ptr::null();
        self.looked(call!(
            self,
            30,
            fn(Class, MethodId, *const Argument) -> Object,
            class,
            constructor,
            none
        ))
    }

    /// Calls a method that gives an object.
    pub fn call_object(self, object: Object, method: MethodId, args: &[Argument]) -> Object {
        self.looked(call!(
            self,
            36,
            fn(Object, MethodId, *const Argument) -> Object,
            object,
            method,
            args.as_ptr()
        ))
    }

    /// Runs something without the exception that is pending, which is pending again afterwards; an exception
    /// of the body is dropped.
    pub fn aside<T>(self, body: impl FnOnce() -> T) -> T {
        let pending = self.exception();
        if !pending.is_null() {
            self.clear_exception();
        }
        let result = body();
        self.clear_exception();
        if !pending.is_null() {
            call!(self, 13, fn(Object) -> i32, pending);
            self.delete_local(pending);
        }
        result
    }

    /// A reference for all threads and for good.
    pub fn global(self, object: Object) -> Object {
        call!(self, 21, fn(Object) -> Object, object)
    }

    /// Calls a method that gives nothing.
    pub fn call_void(self, object: Object, method: MethodId, args: &[Argument]) {
        call!(self, 63, fn(Object, MethodId, *const Argument), object, method, args.as_ptr());
        self.exception_pending();
    }

    /// Calls a static method that gives an object.
    pub fn call_static_object(self, class: Class, method: MethodId, args: &[Argument]) -> Object {
        self.looked(call!(
            self,
            116,
            fn(Class, MethodId, *const Argument) -> Object,
            class,
            method,
            args.as_ptr()
        ))
    }

    /// Calls a static method that gives a `boolean`.
    pub fn call_static_bool(self, class: Class, method: MethodId, args: &[Argument]) -> bool {
        let is = call!(
            self,
            119,
            fn(Class, MethodId, *const Argument) -> u8,
            class,
            method,
            args.as_ptr()
        );
        self.looked(is) != 0
    }

    /// Calls a static method that gives a `long`.
    pub fn call_static_long(self, class: Class, method: MethodId, args: &[Argument]) -> i64 {
        self.looked(call!(
            self,
            134,
            fn(Class, MethodId, *const Argument) -> i64,
            class,
            method,
            args.as_ptr()
        ))
    }

    /// Calls a static method that gives nothing.
    pub fn call_static_void(self, class: Class, method: MethodId, args: &[Argument]) {
        call!(self, 143, fn(Class, MethodId, *const Argument), class, method, args.as_ptr());
        self.exception_pending();
    }

    /// A field; null, without an exception, if there is none.
    pub fn field(self, class: Class, name: &str, descriptor: &str) -> FieldId {
        if class.is_null() {
            return std::ptr::null_mut();
        }
        let (name, descriptor) = (c_text(name), c_text(descriptor));
        let id = call!(
            self,
            94,
            fn(Class, *const c_char, *const c_char) -> FieldId,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        self.clear_exception();
        id
    }

    /// A field of type `boolean`.
    pub fn bool_field(self, object: Object, field: FieldId) -> bool {
        call!(self, 96, fn(Object, FieldId) -> u8, object, field) != 0
    }

    /// A field of type `char`.
    pub fn char_field(self, object: Object, field: FieldId) -> u16 {
        call!(self, 98, fn(Object, FieldId) -> u16, object, field)
    }

    /// A field with a reference.
    pub fn object_field(self, object: Object, field: FieldId) -> Object {
        call!(self, 95, fn(Object, FieldId) -> Object, object, field)
    }

    /// A static field with a reference; null, without an exception, if there is none.
    pub fn static_object(self, class: Class, name: &str, descriptor: &str) -> Object {
        match self.static_field(class, name, descriptor) {
            Some(id) => call!(self, 145, fn(Class, FieldId) -> Object, class, id),
            None => std::ptr::null_mut(),
        }
    }

    fn static_field(self, class: Class, name: &str, descriptor: &str) -> Option<FieldId> {
        let (name, descriptor) = (c_text(name), c_text(descriptor));
        let id = call!(
            self,
            144,
            fn(Class, *const c_char, *const c_char) -> FieldId,
            class,
            name.as_ptr(),
            descriptor.as_ptr()
        );
        (!self.clear_exception() && !id.is_null()).then_some(id)
    }

    /// A static field of a primitive type, named by the letter of its descriptor.
    pub fn static_primitive(self, class: Class, name: &str, kind: u8) -> Option<Value> {
        let descriptor = char::from(kind).to_string();
        let id = self.static_field(class, name, &descriptor)?;
        Some(match kind {
            b'Z' => Value::Bool(call!(self, 146, fn(Class, FieldId) -> u8, class, id) != 0),
            b'B' => Value::Int(call!(self, 147, fn(Class, FieldId) -> i8, class, id).into()),
            b'C' => Value::Int(call!(self, 148, fn(Class, FieldId) -> u16, class, id).into()),
            b'S' => Value::Int(call!(self, 149, fn(Class, FieldId) -> i16, class, id).into()),
            b'I' => Value::Int(call!(self, 150, fn(Class, FieldId) -> i32, class, id).into()),
            b'J' => Value::Int(call!(self, 151, fn(Class, FieldId) -> i64, class, id)),
            b'F' => Value::Float(call!(self, 152, fn(Class, FieldId) -> f32, class, id).into()),
            _ => Value::Float(call!(self, 153, fn(Class, FieldId) -> f64, class, id)),
        })
    }

    /// A field of a primitive type, named by the letter of its descriptor.
    pub fn primitive_field(self, object: Object, id: FieldId, kind: u8) -> Value {
        match kind {
            b'Z' => Value::Bool(self.bool_field(object, id)),
            b'B' => Value::Int(call!(self, 97, fn(Object, FieldId) -> i8, object, id).into()),
            b'C' => Value::Int(self.char_field(object, id).into()),
            b'S' => Value::Int(call!(self, 99, fn(Object, FieldId) -> i16, object, id).into()),
            b'I' => Value::Int(call!(self, 100, fn(Object, FieldId) -> i32, object, id).into()),
            b'J' => Value::Int(self.long_field(object, id)),
            b'F' => Value::Float(call!(self, 102, fn(Object, FieldId) -> f32, object, id).into()),
            _ => Value::Float(call!(self, 103, fn(Object, FieldId) -> f64, object, id)),
        }
    }

    /// Calls a method without arguments that gives a primitive value, named by the letter of its
    /// descriptor.
    pub fn call_primitive(self, object: Object, id: MethodId, kind: u8) -> Value {
        let none: *const Argument = std::ptr::null();
        macro_rules! give {
            ($index:literal, $ty:ty) => {
                call!(self, $index, fn(Object, MethodId, *const Argument) -> $ty, object, id, none)
            };
        }
        match kind {
            b'Z' => Value::Bool(give!(39, u8) != 0),
            b'B' => Value::Int(give!(42, i8).into()),
            b'C' => Value::Int(give!(45, u16).into()),
            b'S' => Value::Int(give!(48, i16).into()),
            b'I' => Value::Int(give!(51, i32).into()),
            b'J' => Value::Int(give!(54, i64)),
            b'F' => Value::Float(give!(57, f32).into()),
            _ => Value::Float(give!(60, f64)),
        }
    }

    /// A field of type `long` of an object.
    #[inline]
    pub fn long_field(self, object: Object, field: FieldId) -> i64 {
        call!(self, 101, fn(Object, FieldId) -> i64, object, field)
    }

    /// A Java string.
    pub fn string(self, text: &str) -> Object {
        let text = c_text(text);
        call!(self, 167, fn(*const c_char) -> Object, text.as_ptr())
    }

    /// The text of a Java string that is not null.
    pub fn text_of(self, string: Object) -> String {
        let length = call!(self, 164, fn(Object) -> i32, string);
        let mut units = vec![0u16; usize::try_from(length).unwrap_or(0)];
        call!(self, 220, fn(Object, i32, i32, *mut u16), string, 0, length, units.as_mut_ptr());
        String::from_utf16_lossy(&units)
    }

    /// The bytes of a `byte[]` that is not null.
    pub fn bytes_of(self, array: Object) -> Vec<u8> {
        let length = call!(self, 171, fn(Object) -> i32, array);
        let mut bytes = vec![0u8; usize::try_from(length).unwrap_or(0)];
        call!(self, 200, fn(Object, i32, i32, *mut u8), array, 0, length, bytes.as_mut_ptr());
        bytes
    }

    /// A `byte[]`; null, and an exception is pending, if there is no memory for it.
    pub fn new_bytes(self, bytes: &[u8]) -> Object {
        let length = i32::try_from(bytes.len()).unwrap_or(0);
        let array = call!(self, 176, fn(i32) -> Object, length);
        if !array.is_null() {
            call!(self, 208, fn(Object, i32, i32, *const u8), array, 0, length, bytes.as_ptr());
        }
        array
    }

    /// A `long[]`; null, without an exception, if there is no memory for it.
    pub fn new_longs(self, longs: &[i64]) -> Object {
        let length = i32::try_from(longs.len()).unwrap_or(0);
        let array = call!(self, 180, fn(i32) -> Object, length);
        if !self.clear_exception() && !array.is_null() {
            call!(self, 212, fn(Object, i32, i32, *const i64), array, 0, length, longs.as_ptr());
        }
        array
    }

    /// The elements of an array of references that is not null.
    pub fn objects_of(self, array: Object) -> Vec<Object> {
        let length = call!(self, 171, fn(Object) -> i32, array);
        let get = |at| call!(self, 173, fn(Object, i32) -> Object, array, at);
        (0..length).map(get).collect()
    }

    /// The elements of a `long[]` that is not null.
    pub fn longs_of(self, array: Object) -> Vec<i64> {
        let length = call!(self, 171, fn(Object) -> i32, array);
        let mut longs = vec![0i64; usize::try_from(length).unwrap_or(0)];
        call!(self, 204, fn(Object, i32, i32, *mut i64), array, 0, length, longs.as_mut_ptr());
        longs
    }

    /// Gives native methods of a class their code; answers whether that worked.
    ///
    /// # Safety
    /// Every code must be a function `extern "system"` that takes the environment, the class (or
    /// the object) and what its descriptor says.
    pub unsafe fn register_natives(
        self,
        class: Class,
        methods: &[(CString, CString, *mut c_void)],
    ) -> bool {
        let table: Vec<NativeMethod> = methods
            .iter()
            .map(|(name, descriptor, code)| NativeMethod {
                name: name.as_ptr(),
                descriptor: descriptor.as_ptr(),
                code: *code,
            })
            .collect();
        let count = i32::try_from(table.len()).unwrap_or(0);
        let done = call!(
            self,
            215,
            fn(Class, *const NativeMethod, i32) -> i32,
            class,
            table.as_ptr(),
            count
        ) == 0;
        self.clear_exception();
        done
    }
}

/// The text of a C string the VM made: modified UTF-8, repaired where it is none.
///
/// # Safety
/// `text` must be null or point to a text that ends in NUL.
pub unsafe fn text_at(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for it.
    let text = unsafe { CStr::from_ptr(text) };
    watchword_classfile::JStr::new(text.to_bytes()).to_str().into_owned()
}
