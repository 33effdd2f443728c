//! Types of functions of the C library, which mostly comes without debug information.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::OnceLock;

use super::{DebugInfo, Lazy, Type, Variable};

/// What is known of a function from its name.
pub(crate) struct Signature {
    pub parameters: Vec<Variable>,
    pub result: Lazy,
    pub is_variadic: bool,
}

/// One line per shape: the result, then the parameters, then the functions.
///
/// `i` int, `u` unsigned int, `l` long, `z` unsigned long (sizes, threads), `d` double,
/// `p` a pointer to anything, `s` text, `I` a pointer to int, `P` a pointer to a pointer, `Z` a
/// pointer to unsigned long, `v` nothing; `.` at the end: more may follow.
const TABLE: &str = "
p z: malloc valloc pvalloc
p zz: calloc aligned_alloc memalign
p pz: realloc
p pzz: reallocarray
i Pzz: posix_memalign
v p: free cfree
z p: malloc_usable_size
i si.: open open64 __open_2 mq_open
i isi.: openat openat64
i si: mkostemp mkstemps creat creat64 access chmod
i sii: mkostemps
i i: close dup epoll_create epoll_create1 inotify_init1 fsync fdatasync isatty fchdir
i i: posix_openpt
i iu: pidfd_open
i uu: fanotify_init
i iuu: fchown
i IIspp: openpty
i Ispp: forkpty
i ii: dup2 listen shutdown timerfd_create eventfd flock fchmod
i iii: dup3 socket
i ii.: fcntl fcntl64
i iz.: ioctl
i : inotify_init getpid getppid fork vfork pause sched_yield
i iiiI: socketpair
i I: pipe
i Ii: pipe2
i ipI: accept getsockname getpeername
i ipIi: accept4
i ipu: bind connect
i iiipu: setsockopt
i ipui: sendmmsg
i ipuip: recvmmsg
l ipz: read write
l ipzz: __read_chk
l ipzzi: __recv_chk
l ipzzipI: __recvfrom_chk
l ipzlz: __pread_chk __pread64_chk
l ipil: preadv preadv64 pwritev pwritev64
l ipzi: recv send
l ipzl: pread pread64 pwrite pwrite64
l ipi: readv writev recvmsg sendmsg
l ipzipI: recvfrom
l ipzipu: sendto
l iipz: sendfile sendfile64
l ili: lseek lseek64
i il: ftruncate ftruncate64
i sl: truncate truncate64
i ipi: signalfd
i ip: fstat fstat64
i su: memfd_create
i sii: shm_open
i s: mkstemp mkstemp64 unlink rmdir chdir remove puts system shm_unlink
p si: dlopen
i p: dlclose fflush fgetc getc feof ferror fileno dirfd _IO_getc ftrylockfile getw
i p: fgetc_unlocked getc_unlocked feof_unlocked ferror_unlocked fileno_unlocked fflush_unlocked
i I: fclose pclose closedir
u p: fgetwc getwc
p lsi: dlmopen
p ps: dlsym
p pss: dlvsym
s : dlerror
p ss: fopen fopen64 popen
p is: fdopen
p ssp: freopen freopen64
p : tmpfile tmpfile64
p pzs: fmemopen
p PZ: open_memstream open_wmemstream
p ps: fopencookie
z pzzp: fread fwrite fread_unlocked fwrite_unlocked
z pzzzp: __fread_chk __fread_unlocked_chk
s sip: fgets fgets_unlocked
s szip: __fgets_chk __fgets_unlocked_chk
p pip: fgetws
p pzip: __fgetws_chk
i sp: fputs fputs_unlocked
i ip: fputc putc ungetc _IO_putc fputc_unlocked putc_unlocked putw
u ip: fputwc putwc
u up: ungetwc
i pi: fwide
i ps.: fprintf fscanf __isoc99_fscanf __isoc23_fscanf
i pis.: __fprintf_chk
i pp.: fwprintf fwscanf __isoc99_fwscanf __isoc23_fwscanf
i pip.: __fwprintf_chk
i psp: vfprintf vfscanf __isoc99_vfscanf __isoc23_vfscanf
i ppp: vfwprintf
i pipp: __vfwprintf_chk
i pisp: __vfprintf_chk
i pli: fseek fseeko fseeko64
l p: ftell ftello ftello64 telldir
v p: clearerr_unlocked rewind clearerr setlinebuf rewinddir flockfile funlockfile
v pp: setbuf
i psiz: setvbuf
i pp: fgetpos fgetpos64 fsetpos fsetpos64 fputws
l PZp: getline
l PZip: getdelim __getdelim
p s: opendir
p i: fdopendir
p p: readdir readdir64
i ppP: readdir_r readdir64_r
v pl: seekdir
i Ip: pthread_mutex_init pthread_mutex_timedlock pthread_rwlock_init
i Ip: pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock
i I: pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock pthread_mutex_unlock
i I: pthread_mutex_consistent pthread_rwlock_destroy pthread_rwlock_rdlock
i I: pthread_rwlock_wrlock pthread_rwlock_unlock pthread_rwlock_tryrdlock
i I: pthread_rwlock_trywrlock
i Iip: pthread_mutex_clocklock pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock
i pp: pthread_cond_init
i p: pthread_cond_destroy pthread_cond_signal pthread_cond_broadcast
i pI: pthread_cond_wait
i pIp: pthread_cond_timedwait
i pIip: pthread_cond_clockwait
i p: pthread_barrier_wait pthread_spin_lock
i pip: sem_clockwait
i pp: sem_timedwait
i pI: sem_getvalue
i p: pthread_spin_unlock pthread_spin_trylock pthread_spin_destroy pthread_barrier_destroy
i p: sem_wait sem_trywait sem_post sem_destroy sem_close
i Zppp: pthread_create
i zP: pthread_join pthread_tryjoin_np
i zPp: pthread_timedjoin_np
i zPip: pthread_clockjoin_np
i z: pthread_detach pthread_cancel
i zi: pthread_kill
z : pthread_self
v p: pthread_exit
i piu: sem_init
p si.: sem_open
v i: exit _exit quick_exit closefrom
i uui: close_range
i ii: kill
i i: raise
p pziiil: mmap mmap64
p ipi: shmat
i pz: munmap
i pzi: mprotect madvise msync
p pzzi.: mremap
i sspP: getaddrinfo
v p: freeaddrinfo
i iiip: epoll_ctl
i ipii: epoll_wait
i ipiip: epoll_pwait
i iill: fallocate fallocate64
i pzi: poll
i ipppp: select
z s: strlen
i ss: strcmp rename link symlink
s ss: strcat strcpy
p ppz: memcpy memmove mempcpy
p piz: memset memchr
i ppz: memcmp
i s: atoi
l s: atol
d s: atof
d d: sin cos tan exp log sqrt floor ceil fabs
d dd: pow fmod atan2
i s.: printf
i is.: __printf_chk dprintf
i iis.: __dprintf_chk
i isp: vdprintf
i iisp: __vdprintf_chk
s s: getenv strdup
u u: sleep alarm
i u: usleep
";

fn shape(name: &str) -> Option<&'static str> {
    static SHAPES: OnceLock<HashMap<&'static str, &'static str>> = OnceLock::new();
    let shapes = SHAPES.get_or_init(|| {
        let lines = TABLE.lines().filter_map(|line| line.split_once(':'));
        let of = |(shape, names): (&'static str, &'static str)| {
            names.split_whitespace().map(move |name| (name, shape))
        };
        lines.flat_map(of).collect()
    });
    shapes.get(name).copied()
}

fn ty(code: char) -> Option<Rc<Type>> {
    let named = |name| Type::builtin(name);
    let pointer = |target: Rc<Type>| Some(Type::pointer_to(&target));
    match code {
        'v' => Some(Type::void()),
        'i' => named("int"),
        'u' => named("unsigned int"),
        'l' => named("long"),
        'z' => named("unsigned long"),
        'd' => named("double"),
        'p' => pointer(Type::void()),
        's' => pointer(named("char")?),
        'I' => pointer(named("int")?),
        'Z' => pointer(named("unsigned long")?),
        'P' => pointer(Type::pointer_to(&Type::void())),
        _ => None,
    }
}

impl DebugInfo {
    /// The signature of the function that begins at this address, by its name. Only global
    /// symbols count: one that has the name of a function of the C library is what other modules
    /// call by it, so it has that function's type. A local symbol may be anything.
    pub(crate) fn signature_at(&self, address: u64) -> Option<Signature> {
        let shape =
            self.symbols_at(address).filter(|s| s.is_global).find_map(|s| shape(&s.name))?;
        let (result, parameters) = shape.trim().split_once(' ').unwrap_or((shape.trim(), ""));
        let known = |code| Some(Lazy::Known(ty(code)?));
        let parameter = |code| Some(Variable::of_type(known(code)?));
        Some(Signature {
            parameters: parameters.chars().filter(|c| *c != '.').map_while(parameter).collect(),
            result: known(result.chars().next()?)?,
            is_variadic: parameters.ends_with('.'),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_can_be_read() {
        for line in TABLE.lines().filter(|l| !l.is_empty()) {
            let (shape, names) = line.split_once(':').unwrap();
            let (result, parameters) = shape.split_once(' ').unwrap();
            assert_eq!(result.len(), 1, "{line}");
            for code in shape.replace([' ', '.'], "").chars() {
                assert!(ty(code).is_some(), "{line}: {code}");
            }
            assert!(parameters.find('.').is_none_or(|at| at + 1 == parameters.len()), "{line}");
            assert!(!names.trim().is_empty(), "{line}");
        }
    }

    /// Without its signature, a function that answers -1 answers 4294967295.
    #[test]
    fn functions_of_shipped_properties_have_signatures() {
        let properties = concat!(env!("CARGO_MANIFEST_DIR"), "/../../properties");
        let mut seen = 0;
        for family in ["posix", "posix-advice"] {
            for entry in std::fs::read_dir(format!("{properties}/{family}")).unwrap() {
                let path = entry.unwrap().path();
                if path.extension().is_none_or(|e| e != "ww") {
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap();
                let sources = text.lines().filter(|line| !line.contains("//"));
                for (_, called) in sources.filter_map(|line| line.split_once(" call ")) {
                    let name = called.split(' ').next().unwrap();
                    assert!(shape(name).is_some(), "{}: {name}", path.display());
                    seen += 1;
                }
            }
        }
        assert!(seen > 100, "{seen}");
    }

    #[test]
    fn no_function_has_two_signatures() {
        let names = TABLE.lines().filter_map(|l| l.split_once(':')).map(|(_, names)| names);
        let mut all: Vec<&str> = names.flat_map(str::split_whitespace).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
