//! Requests are served here, whoever makes them.

use watchword_native::Session;
use watchword_native::session::{Back, Go, Halt};

use super::{Console, Done, Then, examine, info, monitors, running, signals};
use crate::answer::Answer;
use crate::error::bail;
use crate::happening::{Happening, Level};
use crate::request::Request;

impl Console {
    /// Serves a request; what follows from it is left to be done.
    pub(crate) fn serve(&mut self, session: &mut Session, request: &Request) -> Done {
        if request.moves_program() {
            self.may_move()?;
        }
        match request {
            Request::Continue => self.go(session, &Go::Continue),
            Request::Step => self.go(session, &Go::Step),
            Request::Next => self.go(session, &Go::Next),
            Request::StepInstruction => self.go(session, &Go::StepInstruction),
            Request::NextInstruction => self.go(session, &Go::NextInstruction),
            Request::Finish => self.go(session, &Go::Finish),
            Request::Go { how, times } => self.go_often(session, how, *times),
            Request::ContinuePast { hit } => running::continue_past(self, session, *hit),
            Request::ContinueThreads { threads } => {
                running::continue_threads(self, session, threads)
            }
            Request::GoBack { how, times } => self.go_back_often(session, *how, *times),
            Request::Run => running::run(self, session),
            Request::Start => running::start(self, session),
            Request::Kill => running::kill(self, session),
            Request::Detach => running::detach(self, session),
            Request::Break { place, condition, once } => {
                running::set_break(self, session, place, condition.as_deref(), *once)
            }
            Request::Watch { expression, access } => {
                running::watch(self, session, expression, *access)
            }
            Request::Delete { numbers } => running::delete(session, numbers),
            Request::Enable { numbers, on } => running::enable(session, numbers, *on),
            Request::Condition { number, condition } => {
                session.set_condition(*number, condition.as_deref())?;
                Ok(Then::Next)
            }
            Request::Ignore { number, hits } => running::ignore(self, session, *number, *hits),
            Request::Points => info::points(self, session),
            Request::Threads => info::thread_list(self, session),
            Request::Thread { number } => info::look_at_thread(self, session, *number),
            Request::Lock { locking } => {
                session.set_locking(*locking);
                examine::tell_locking(self, session)
            }
            Request::Frames { limit } => info::frames(self, session, *limit),
            Request::Frame { number } => {
                session.select_frame(*number)?;
                info::look_here(self, session)
            }
            Request::Variables => info::variables_of_frame(self, session),
            Request::Evaluate { expression, format } => {
                examine::evaluate(self, session, expression, *format)
            }
            Request::Registers => info::registers(self, session),
            Request::Memory { address, size } => examine::bytes(self, session, address, *size),
            Request::Disassemble { place } => examine::disassemble(self, session, place.as_deref()),
            Request::Monitors => monitors::monitors(self, session),
            Request::Slices { property } => {
                monitors::slices(self, session, property.as_deref().unwrap_or_default())
            }
            Request::Verdicts => monitors::violations(self, session),
            Request::LoadProperty { file, functions } => {
                monitors::load_property(self, session, file, functions.as_deref())
            }
            Request::Unload { monitor } => monitors::unload(self, session, *monitor),
            Request::SetState { property, binding, state } => {
                self.set_state_of(session, property, binding, state)
            }
            Request::Checkpoint { label } => self.checkpoint(session, label.as_deref()),
            Request::Restore { number } => self.restore(session, *number),
            Request::Checkpoints => monitors::checkpoints(self, session),
            Request::DropCheckpoint { number } => {
                session.drop_checkpoint(*number)?;
                Ok(Then::Next)
            }
            Request::LoadScenario { file } => {
                self.load_scenario(session, file)?;
                Ok(Then::Next)
            }
            Request::UnloadScenario => {
                session.set_scenario(None);
                Ok(Then::Next)
            }
            Request::Handle { signal, handling } => signals::set(self, session, *signal, *handling),
            Request::Signals => signals::all(self, session),
            Request::Command(line) => self.execute(session, line),
        }
    }

    /// Answers a question; people are shown the text.
    pub(super) fn answer(&mut self, answer: Answer, text: impl Into<String>) -> Done {
        self.tell(&Happening::Answered { answer, text: text.into() });
        Ok(Then::Next)
    }

    /// Refuses to move the program from inside a scenario.
    pub(super) fn may_move(&self) -> crate::Result<()> {
        if self.in_scenario {
            bail!("a scenario moves the program with `continue`, `stop`, `restore` and `quit`");
        }
        if self.moved_elsewhere {
            bail!("the debugger that is connected moves the program: use its own command");
        }
        Ok(())
    }

    /// Goes on so many times, unless something else stops the program.
    fn go_often(&mut self, session: &mut Session, how: &Go, times: u32) -> Done {
        for _ in 1..times {
            let halt = session.go(how, self)?;
            if !matches!(halt, Halt::Stepped | Halt::Finished(_)) {
                return self.halted(session, halt);
            }
        }
        self.go(session, how)
    }

    fn go_back_often(&mut self, session: &mut Session, how: Back, times: u32) -> Done {
        for _ in 1..times {
            session.go_back(how, self)?;
        }
        self.go_back(session, how)
    }

    /// Shows what went wrong.
    pub fn complain(&mut self, error: &crate::Error) {
        if !error.is_reported() {
            self.tell(&Happening::Text { text: error.to_string(), level: Level::Error });
        }
    }
}

impl Request {
    /// Whether the program goes on, or ends, by it.
    fn moves_program(&self) -> bool {
        matches!(
            self,
            Request::Continue
                | Request::Step
                | Request::Next
                | Request::StepInstruction
                | Request::NextInstruction
                | Request::Finish
                | Request::Go { .. }
                | Request::ContinuePast { .. }
                | Request::ContinueThreads { .. }
                | Request::GoBack { .. }
                | Request::Run
                | Request::Start
                | Request::Kill
                | Request::Detach
        )
    }
}
