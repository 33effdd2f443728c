//! What is known about classes while others are woven: those of the JDK's image, those seen while
//! they loaded, those of the class path, and those a class loader can show.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use watchword_classfile::source::{ClassSource, JImage, Zip};
use watchword_classfile::{ClassFile, access};
use watchword_weave::{ClassFacts, Hierarchy, runtime};

use crate::vm::{Argument, Jni, Object};

/// A file in memory, read only.
pub struct Mapped {
    start: *const u8,
    length: usize,
}

// SAFETY: the mapping is private and read only, and lives as long as the value.
unsafe impl Send for Mapped {}
// SAFETY: as above.
unsafe impl Sync for Mapped {}

impl Mapped {
    /// Maps a file. A file that is cut short while it is mapped would end the program with a bus
    /// error: only files the JVM itself has mapped or open are given to this.
    pub fn open(path: &Path) -> std::io::Result<Mapped> {
        let file = File::open(path)?;
        let length = usize::try_from(file.metadata()?.len()).unwrap_or(0);
        if length == 0 {
            return Ok(Mapped { start: std::ptr::NonNull::dangling().as_ptr(), length });
        }
        // SAFETY: a new private mapping of a file that is open; the kernel chooses the place.
        let start = unsafe {
            let at = std::ptr::null_mut();
            libc::mmap(at, length, libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
        };
        if start == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        Ok(Mapped { start: start.cast(), length })
    }
}

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: the mapping has this length until the value is dropped.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        if self.length > 0 {
            // SAFETY: exactly the mapping made in `open`; nothing borrows from it any more.
            unsafe { libc::munmap(self.start.cast_mut().cast(), self.length) };
        }
    }
}

/// An element of the class path.
enum Element {
    Folder(PathBuf),
    Jar(Box<Zip<Mapped>>),
}

/// Everything known about classes, by internal name.
pub struct Classes {
    home: PathBuf,
    image: OnceLock<Option<JImage<Mapped>>>,
    class_path: OnceLock<Vec<Element>>,
    paths: Mutex<Vec<PathBuf>>,
    /// Facts of classes, by name; of a name that several loaders define, the last.
    known: Mutex<HashMap<String, Arc<ClassFacts>>>,
    /// Whether a type is one of the tracked ones or below one.
    tracked: Mutex<HashMap<String, bool>>,
    roots: OnceLock<Vec<String>>,
}

impl Classes {
    /// For the JDK at `home`.
    pub fn new(home: PathBuf) -> Classes {
        Classes {
            home,
            image: OnceLock::new(),
            class_path: OnceLock::new(),
            paths: Mutex::new(Vec::new()),
            known: Mutex::new(HashMap::new()),
            tracked: Mutex::new(HashMap::new()),
            roots: OnceLock::new(),
        }
    }

    /// Says where the application's classes are; before the first question that needs them.
    pub fn set_class_path(&self, path: &str) {
        if let Ok(mut paths) = self.paths.lock() {
            *paths = path.split(':').map(PathBuf::from).collect();
        }
    }

    /// Types (internal names) whose objects are operands of events.
    pub fn set_roots(&self, roots: Vec<String>) {
        let _ = self.roots.set(roots);
    }

    /// Remembers a class that is being loaded.
    pub fn add(&self, facts: &Arc<ClassFacts>) {
        if let Ok(mut known) = self.known.lock() {
            known.insert(facts.name.clone(), facts.clone());
        }
    }

    /// The classes that were loaded.
    pub fn loaded(&self) -> Vec<Arc<ClassFacts>> {
        self.known.lock().map(|known| known.values().cloned().collect()).unwrap_or_default()
    }

    /// Internal names of all classes that can be listed: those of the image and those seen.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        if let Some(image) = self.image() {
            let _ = image.for_each_name(&mut |name| names.push(name.to_string()));
        }
        if let Ok(known) = self.known.lock() {
            names.extend(known.keys().cloned());
        }
        names
    }

    fn image(&self) -> Option<&JImage<Mapped>> {
        let open = || {
            let mapped = Mapped::open(&self.home.join("lib/modules")).ok()?;
            JImage::parse(mapped).ok()
        };
        self.image.get_or_init(open).as_ref()
    }

    fn class_path(&self) -> &[Element] {
        self.class_path.get_or_init(|| {
            let paths = self.paths.lock().map(|p| p.clone()).unwrap_or_default();
            paths.into_iter().filter_map(open_element).collect()
        })
    }

    fn find(&self, name: &str) -> Option<Arc<ClassFacts>> {
        if let Some(found) = self.known.lock().ok()?.get(name) {
            return Some(found.clone());
        }
        let facts = self.read(name)?;
        let facts = Arc::new(facts);
        self.add(&facts);
        Some(facts)
    }

    /// Reads a class from the image or the class path.
    fn read(&self, name: &str) -> Option<ClassFacts> {
        let facts = |bytes: &[u8]| ClassFacts::of(&ClassFile::parse(bytes).ok()?).ok();
        if let Some(image) = self.image()
            && let Ok(Some(bytes)) = image.class(name)
        {
            return facts(&bytes);
        }
        let file = format!("{name}.class");
        self.class_path().iter().find_map(|element| match element {
            Element::Folder(folder) => facts(&std::fs::read(folder.join(&file)).ok()?),
            Element::Jar(zip) => facts(&zip.read(&file).ok()??),
        })
    }

    /// Whether objects of a type, or of a type above it, are operands of events.
    pub fn is_tracked(&self, name: &str, hierarchy: &dyn Hierarchy) -> bool {
        self.tracked_within(name, hierarchy, 0)
    }

    /// The same for a class that is being loaded, of which nothing but itself is known.
    pub fn is_tracked_class(&self, class: &ClassFile<'_>, hierarchy: &dyn Hierarchy) -> bool {
        let (Ok(name), Ok(above)) = (class.name(), class.super_name()) else { return true };
        let name = name.to_str();
        let mut above = above.into_iter().map(Ok).chain(class.interface_names());
        let tracked = self.roots.get().is_some_and(|roots| roots.iter().any(|r| **r == *name))
            || above
                .any(|above| above.is_ok_and(|above| self.is_tracked(&above.to_str(), hierarchy)));
        if let Ok(mut known) = self.tracked.lock() {
            known.insert(name.into_owned(), tracked);
        }
        tracked
    }

    /// Whether the JDK's image has a class of that name.
    pub fn is_of_the_image(&self, name: &str) -> bool {
        self.image().is_some_and(|image| matches!(image.class(name), Ok(Some(_))))
    }

    /// Whether a class file is the one that the JDK's image has for its class.
    pub fn is_as_in_the_image(&self, name: &str, bytes: &[u8]) -> bool {
        let found = self.image().and_then(|image| image.class(name).ok().flatten());
        found.is_some_and(|found| *found == *bytes)
    }

    fn tracked_within(&self, name: &str, hierarchy: &dyn Hierarchy, depth: usize) -> bool {
        let Some(roots) = self.roots.get() else { return false };
        if roots.iter().any(|r| r == name) {
            return true;
        }
        // A cycle of supertypes is a class file the VM will refuse.
        if depth > 200 || name == "java/lang/Object" {
            return false;
        }
        if let Some(known) = self.tracked.lock().ok().and_then(|t| t.get(name).copied()) {
            return known;
        }
        let Some(facts) = hierarchy.class(name) else { return false };
        let answer =
            facts.supertypes().any(|above| self.tracked_within(above, hierarchy, depth + 1));
        if let Ok(mut tracked) = self.tracked.lock() {
            tracked.insert(name.to_string(), answer);
        }
        answer
    }

    /// Whether a class is the topmost of its superclasses that takes an identity.
    pub fn takes_identity(&self, facts: &ClassFacts, hierarchy: &dyn Hierarchy) -> bool {
        self.would_take(facts, hierarchy)
            && facts.super_name.as_deref().is_none_or(|name| !self.has_identity(name, hierarchy))
    }

    fn would_take(&self, facts: &ClassFacts, hierarchy: &dyn Hierarchy) -> bool {
        facts.access & access::INTERFACE == 0
            && self.is_tracked(&facts.name, hierarchy)
            && watchword_weave::identity::refuses(facts).is_none()
    }

    /// Whether a class or one above it takes an identity, or may: a class is seen before those above it are loaded, and
    /// a loader need not show them. If both took one, the JVM would refuse the lower one.
    fn has_identity(&self, name: &str, hierarchy: &dyn Hierarchy) -> bool {
        let mut name = name.to_string();
        for _ in 0..200 {
            let Some(facts) = hierarchy.class(&name) else { return true };
            if self.would_take(&facts, hierarchy) {
                return true;
            }
            match &facts.super_name {
                Some(above) => name = above.clone(),
                None => return false,
            }
        }
        false
    }
}

fn open_element(path: PathBuf) -> Option<Element> {
    let path = if path.as_os_str().is_empty() { PathBuf::from(".") } else { path };
    if path.is_dir() {
        return Some(Element::Folder(path));
    }
    let zip = Zip::parse(Mapped::open(&path).ok()?).ok()?;
    Some(Element::Jar(Box::new(zip)))
}

/// What is known about classes as one class loader sees them.
pub struct Seen<'a> {
    classes: &'a Classes,
    /// The loader for classes that are not found otherwise, if Java can be called.
    loader: Option<(Jni, Object)>,
    asked: RefCell<Vec<String>>,
}

impl<'a> Seen<'a> {
    /// As a loader sees them.
    pub fn new(classes: &'a Classes, loader: Option<(Jni, Object)>) -> Seen<'a> {
        Seen { classes, loader, asked: RefCell::default() }
    }

    /// The class file a loader has under a name, as a resource: nothing is loaded by that.
    fn ask(&self, name: &str) -> Option<ClassFacts> {
        let (jni, loader) = self.loader?;
        let bytes = jni.framed(16, || resource(jni, loader, &format!("{name}.class")))??;
        let facts = ClassFacts::of(&ClassFile::parse(&bytes).ok()?).ok()?;
        // A loader that renames classes shows what it makes them from.
        (facts.name == name).then_some(facts)
    }
}

fn resource(jni: Jni, loader: Object, path: &str) -> Option<Vec<u8>> {
    let pending = jni.exception();
    if !pending.is_null() {
        return None;
    }
    let bytes = (|| {
        let class = jni.class_of(loader);
        let stream = "(Ljava/lang/String;)Ljava/io/InputStream;";
        let get = not_null(jni.method(class, "getResourceAsStream", stream))?;
        let path = not_null(jni.string(path))?;
        let stream = jni.call_object(loader, get, &[Argument { object: path }]);
        let stream = not_null(stream).filter(|_| !jni.exception_pending())?;
        let class = jni.class_of(stream);
        let read = not_null(jni.method(class, "readAllBytes", "()[B"))?;
        let array = jni.call_object(stream, read, &[]);
        let array = not_null(array).filter(|_| !jni.exception_pending())?;
        let bytes = jni.bytes_of(array);
        if let Some(close) = not_null(jni.method(class, "close", "()V")) {
            jni.call_void(stream, close, &[]);
        }
        Some(bytes)
    })();
    jni.clear_exception();
    bytes
}

fn not_null(reference: Object) -> Option<Object> {
    (!reference.is_null()).then_some(reference)
}

impl Hierarchy for Seen<'_> {
    fn class(&self, name: &str) -> Option<Arc<ClassFacts>> {
        // Ours have nothing that a property speaks of, and no loader of the program has them: looking
        // for them, for every class that became `Tracked`, took longer than weaving it.
        if runtime::is_own(name) {
            return None;
        }
        if let Some(found) = self.classes.find(name) {
            return Some(found);
        }
        if self.asked.borrow().iter().any(|asked| asked == name) {
            return None;
        }
        self.asked.borrow_mut().push(name.to_string());
        let facts = Arc::new(self.ask(name)?);
        self.classes.add(&facts);
        Some(facts)
    }

    /// No loader but the JDK's own may define a class in these packages.
    fn is_fixed(&self, name: &str) -> bool {
        name.starts_with("java/")
    }
}
