//! Peers of loopbench on tokio and crossbeam, behind the tables of `cpeers.h`.

use std::ffi::c_void;
use std::sync::Mutex;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc;

type Function = unsafe extern "C" fn(*mut c_void);

/// A function with the context that it is called with.
struct Call(Function, *mut c_void);

// The caller of `post` and `add` allows any thread to use the context.
unsafe impl Send for Call {}

impl Call {
    fn run(self) {
        unsafe { (self.0)(self.1) }
    }
}

enum Message {
    Run(Box<dyn FnOnce() + Send>),
    Stop,
}

/// A queue of closures that one thread runs.
trait Queue: Sized {
    fn open() -> Option<Self>;
    /// Call from any thread.
    fn send(&self, message: Message);
    /// Runs closures until a `Stop`.
    fn run(&self);
}

/// `cp_loop`.
#[repr(C)]
pub struct LoopTable {
    open: extern "C" fn() -> *mut c_void,
    post: extern "C" fn(*mut c_void, Function, *mut c_void),
    post_many: extern "C" fn(*mut c_void, u32, Function, *mut c_void),
    run: extern "C" fn(*mut c_void),
    stop: extern "C" fn(*mut c_void),
    close: extern "C" fn(*mut c_void),
}

impl LoopTable {
    const fn of<Q: Queue>() -> LoopTable {
        LoopTable {
            open: open::<Q>,
            post: post::<Q>,
            post_many: post_many::<Q>,
            run: run::<Q>,
            stop: stop::<Q>,
            close: close::<Q>,
        }
    }
}

/// The object that `open` returned, which `close` has not freed.
fn peer<'a, P>(pointer: *mut c_void) -> &'a P {
    unsafe { &*(pointer as *const P) }
}

fn pointer<P>(peer: Option<P>) -> *mut c_void {
    peer.map_or(std::ptr::null_mut(), |peer| Box::into_raw(Box::new(peer)) as *mut c_void)
}

extern "C" fn open<Q: Queue>() -> *mut c_void {
    pointer(Q::open())
}

extern "C" fn post<Q: Queue>(queue: *mut c_void, function: Function, context: *mut c_void) {
    let call = Call(function, context);
    peer::<Q>(queue).send(Message::Run(Box::new(move || call.run())));
}

extern "C" fn post_many<Q: Queue>(
    queue: *mut c_void,
    count: u32,
    function: Function,
    context: *mut c_void,
) {
    for _ in 0..count {
        post::<Q>(queue, function, context);
    }
}

extern "C" fn run<Q: Queue>(queue: *mut c_void) {
    peer::<Q>(queue).run();
}

extern "C" fn stop<Q: Queue>(queue: *mut c_void) {
    peer::<Q>(queue).send(Message::Stop);
}

extern "C" fn close<P>(peer: *mut c_void) {
    drop(unsafe { Box::from_raw(peer as *mut P) });
}

/// A task of a runtime with one thread, which receives closures from a channel.
struct TokioLoop {
    sender: mpsc::UnboundedSender<Message>,
    // Locked once by each run.
    task: Mutex<(Runtime, mpsc::UnboundedReceiver<Message>)>,
}

impl Queue for TokioLoop {
    fn open() -> Option<Self> {
        let (sender, receiver) = mpsc::unbounded_channel();
        let runtime = Builder::new_current_thread().build().ok()?;
        Some(TokioLoop { sender, task: Mutex::new((runtime, receiver)) })
    }

    fn send(&self, message: Message) {
        // The receiver lives as long as this.
        let _ = self.sender.send(message);
    }

    fn run(&self) {
        let mut task = self.task.lock().unwrap();
        let (runtime, receiver) = &mut *task;
        runtime.block_on(async {
            while let Some(Message::Run(closure)) = receiver.recv().await {
                closure();
            }
        });
    }
}

/// A thread that receives closures from a channel, without a loop.
struct CrossbeamQueue {
    sender: crossbeam::channel::Sender<Message>,
    receiver: crossbeam::channel::Receiver<Message>,
}

impl Queue for CrossbeamQueue {
    fn open() -> Option<Self> {
        let (sender, receiver) = crossbeam::channel::unbounded();
        Some(CrossbeamQueue { sender, receiver })
    }

    fn send(&self, message: Message) {
        // The receiver lives as long as this.
        let _ = self.sender.send(message);
    }

    fn run(&self) {
        while let Ok(Message::Run(closure)) = self.receiver.recv() {
            closure();
        }
    }
}

/// `cp_pool`.
#[repr(C)]
pub struct PoolTable {
    open: extern "C" fn(u32) -> *mut c_void,
    add: extern "C" fn(*mut c_void, Function, *mut c_void, i32),
    apply: Option<extern "C" fn(*mut c_void, u32, Function, *mut c_void)>,
    close: extern "C" fn(*mut c_void),
}

extern "C" fn open_pool(threads: u32) -> *mut c_void {
    pointer(Builder::new_multi_thread().worker_threads(threads as usize).build().ok())
}

/// Spawns a task. A runtime has no priorities.
extern "C" fn spawn(runtime: *mut c_void, function: Function, context: *mut c_void, _: i32) {
    let call = Call(function, context);
    peer::<Runtime>(runtime).spawn(async move { call.run() });
}

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static cp_tokio: LoopTable = LoopTable::of::<TokioLoop>();

#[no_mangle]
#[allow(non_upper_case_globals)]
pub static cp_crossbeam: LoopTable = LoopTable::of::<CrossbeamQueue>();

// Freeing a runtime joins its threads, which end after the tasks that they run.
#[no_mangle]
#[allow(non_upper_case_globals)]
pub static cp_tokio_pool: PoolTable =
    PoolTable { open: open_pool, add: spawn, apply: None, close: close::<Runtime> };
