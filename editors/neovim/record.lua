-- Neovim with the plug-in nvim-dap debugs the example `queue.c` with its property, while
-- `editors/vscode/test/record.js` writes down what the two say to each other. Neovim 0.7.2 needs nvim-dap 0.3.0.
--
--   FOLDER=…  queue.c, queue.ww and the program queue, compiled there by: cc -g -O0 -pthread queue.c -o queue
--   PLUGINS=… a folder with pack/x/start/nvim-dap     OUT=… the recording     WATCHWORD=… the program
--   nvim --headless -u NONE -n -S editors/neovim/record.lua
local here = debug.getinfo(1, 'S').source:sub(2):match('(.*)/') or '.'
vim.o.packpath = vim.env.PLUGINS
vim.cmd('packadd nvim-dap')
local dap = require('dap')
local dir = vim.env.FOLDER
vim.cmd('edit ' .. dir .. '/queue.c')
dap.adapters.watchword = {
  type = 'executable',
  command = 'node',
  args = { here .. '/../vscode/test/record.js', vim.env.OUT, dir, vim.env.WATCHWORD, 'debug', '--dap' },
}

local stops, ended, last = 0, false, nil
dap.listeners.after.event_stopped['record'] = function(_, body) stops, last = stops + 1, body end
dap.listeners.after.event_terminated['record'] = function() ended = true end

local function wait(what, done)
  if not vim.wait(30000, done, 20) then
    print('no ' .. what)
    vim.cmd('cquit 3')
  end
end

local function pause()
  vim.wait(700, function() return false end)
end

--- The editor asks for threads, frames and variables by itself at a stop.
local function settled(count)
  wait('stop ' .. count, function() return stops >= count end)
  wait('frame ' .. count, function()
    local session = dap.session()
    return session and session.current_frame and session.current_frame.scopes
  end)
  pause()
  return dap.session()
end

local function ask(command, arguments)
  local done = false
  dap.session():request(command, arguments, function() done = true end)
  wait(command, function() return done end)
end

local function look_into(session)
  for _, scope in ipairs(session.current_frame.scopes) do
    ask('variables', { variablesReference = scope.variablesReference })
  end
end

local function evaluate(session, expression, context)
  ask('evaluate', { expression = expression, frameId = session.current_frame.id, context = context })
end

vim.api.nvim_win_set_cursor(0, { 21, 0 })
dap.toggle_breakpoint()
dap.run({
  type = 'watchword', request = 'launch', name = 'with a property', program = dir .. '/queue',
  args = { '5', '20', '3' }, properties = { dir .. '/queue.ww' },
})
local session = settled(1)
look_into(session)
evaluate(session, 'capacity', 'hover')
evaluate(session, 'capacity = 4', 'repl')
evaluate(session, 'checkpoint', 'repl')
dap.step_over()
settled(2)
dap.clear_breakpoints()
pause()
dap.continue()
session = settled(3)
print(tostring(last.reason) .. ': ' .. tostring(last.description))
look_into(session)
ask('exceptionInfo', { threadId = session.stopped_thread_id })
dap.up()
pause()
evaluate(session, 'me', 'repl')
dap.reverse_continue()
session = settled(4)
print('back at ' .. session.current_frame.name .. ':' .. session.current_frame.line)
dap.terminate()
wait('end', function() return ended or dap.session() == nil end)
pause()
vim.cmd('qall!')
