import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { folder, ofKind, type Rehearsal, startRehearsal } from './rehearsal-under-test.ts'

// A dead process keeps its pid until a parent waits for it, and a container may have no process that does.
function isAtWork(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const status = `/proc/${pid}/stat`
    return !existsSync(status) || !/\) Z /.test(readFileSync(status, 'utf8'))
  } catch {
    return false
  }
}

/** The number that a running command has printed. */
async function printedPid(rehearsal: Rehearsal): Promise<number> {
  const printed = () => /pid (\d+)!/.exec(JSON.stringify(ofKind(rehearsal, 'tool_call_update')))
  await rehearsal.heard(() => printed() !== null)
  return Number(printed()?.[1])
}

describe('a rehearsal as a process', () => {
  it('says 10,000 chunks, each once and in order', async () => {
    const rehearsal = await startRehearsal()
    await rehearsal.prompt('say 10000 chunks of 40 bytes')
    const chunks = ofKind(rehearsal, 'agent_message_chunk').slice(1)
    const texts = chunks.map(({ content }) => (content.type === 'text' ? content.text : ''))
    expect(texts).toEqual(
      Array.from({ length: 10_000 }, (_, at) => `chunk ${at + 1} of 10000 `.padEnd(40, '.')),
    )
  })

  it('hears a cancel in the middle of a million chunks', async () => {
    const rehearsal = await startRehearsal()
    const turn = rehearsal.prompt('say 1000000 chunks')
    await rehearsal.heard(({ words }) => words.includes('chunk 10 of'))
    await rehearsal.cancel()
    expect(await turn).toEqual({ stopReason: 'cancelled' })
    expect(await rehearsal.prompt('say still here')).toEqual({ stopReason: 'end_turn' })
  })

  it('stops thinking when it is cancelled, and says nothing more of that turn', async () => {
    const rehearsal = await startRehearsal()
    const turn = rehearsal.prompt('think for 10 minutes. say done')
    await rehearsal.heard(({ updates }) => updates.at(-1)?.sessionUpdate === 'agent_thought_chunk')
    await rehearsal.cancel()
    expect(await turn).toEqual({ stopReason: 'cancelled' })
    expect(rehearsal.words).not.toContain('done')
  })

  it('ends what a cancelled command has started, also what ignores a polite signal', async () => {
    const rehearsal = await startRehearsal()
    const turn = rehearsal.prompt('run `(trap \'\' TERM; sleep 1000) & echo "pid $!!"; wait`')
    const pid = await printedPid(rehearsal)
    expect(isAtWork(pid)).toBe(true)
    await rehearsal.cancel()
    expect(await turn).toEqual({ stopReason: 'cancelled' })
    // It was sent a signal that no process can ignore; when it is dead is up to the system.
    await expect.poll(() => isAtWork(pid), { timeout: 60_000 }).toBe(false)
    expect(ofKind(rehearsal, 'tool_call_update').at(-1)).toMatchObject({ status: 'failed' })
  })

  it('answers a cancel although the user does not answer its question', async () => {
    const rehearsal = await startRehearsal({ answers: { permission: () => new Promise(() => {}) } })
    const turn = rehearsal.prompt('ask permission to write a.txt')
    await rehearsal.heard(({ frames }) => JSON.stringify(frames.at(-1)).includes('request_permission'))
    await rehearsal.cancel()
    expect(await turn).toEqual({ stopReason: 'cancelled' })
    expect(existsSync(path.join(rehearsal.cwd, 'a.txt'))).toBe(false)
  })

  it('does not do what it was denied, says so, and goes on', async () => {
    const rehearsal = await startRehearsal({ answers: { permission: () => 'reject-once' } })
    expect(await rehearsal.prompt('ask permission to write a.txt. write b.txt')).toEqual({
      stopReason: 'end_turn',
    })
    expect(existsSync(path.join(rehearsal.cwd, 'a.txt'))).toBe(false)
    expect(existsSync(path.join(rehearsal.cwd, 'b.txt'))).toBe(true)
    expect(rehearsal.words).toContain('I did not write a.txt: permission was not given.')
  })

  it('crashes with the code it is told, after everything it said before has arrived', async () => {
    const rehearsal = await startRehearsal()
    const turn = rehearsal.prompt('say 200 chunks of 5000 bytes. crash with code 3. say never')
    await expect(turn).rejects.toThrow()
    expect(await rehearsal.exited).toBe(3)
    expect(rehearsal.words).toContain('chunk 200 of 200')
    expect(rehearsal.words).not.toContain('never')
  })

  it('remembers a session across a crash, replays it when loaded, and does not when resumed', async () => {
    const home = folder()
    const first = await startRehearsal({ home })
    const dying = first.prompt('remember the port is 8080. set mode careful. say 3 chunks. run true. crash')
    await expect(dying).rejects.toThrow()
    await first.exited

    const second = await startRehearsal({ home, cwd: first.cwd, session: 'none' })
    const there = { sessionId: 'drill', cwd: first.cwd, mcpServers: [] }
    const loaded = await second.agent.request('session/load', there)
    expect(loaded).toMatchObject({ modes: { currentModeId: 'careful' } })
    expect(second.words).toBe(first.words)
    expect(ofKind(second, 'user_message_chunk')).toMatchObject([
      { content: { text: 'remember the port is 8080. set mode careful. say 3 chunks. run true. crash' } },
    ])
    await second.prompt('recall the port. run true')
    expect(second.words).toContain('the port is 8080.')
    expect(second.words.match(/This is a rehearsal/g)).toHaveLength(1)
    expect(ofKind(second, 'tool_call')).toMatchObject([{ toolCallId: 'call-2' }])

    const third = await startRehearsal({ home, cwd: first.cwd, session: 'none' })
    await third.agent.request('session/resume', there)
    expect(third.words).toBe('')
    await third.prompt('recall the port')
    expect(third.words).toBe('the port is 8080.')
  })

  it('ends with its input, and leaves no command behind', async () => {
    const rehearsal = await startRehearsal()
    const turn = rehearsal.prompt('run `echo "pid $$!"; sleep 1000`')
    const over = expect(turn).rejects.toThrow()
    const pid = await printedPid(rehearsal)
    rehearsal.child.stdin?.end()
    expect(await rehearsal.exited).toBe(0)
    expect(isAtWork(pid)).toBe(false)
    await over
  })

  it('hangs through a cancel until it is told to end', async () => {
    const rehearsal = await startRehearsal()
    let answered = false
    const turn = rehearsal.prompt('say hm. hang').finally(() => {
      answered = true
    })
    const over = expect(turn).rejects.toThrow()
    await rehearsal.heard(({ words }) => words.includes('hm'))
    await rehearsal.cancel()
    // An answer to something later: by then, one to the cancel would have come.
    await rehearsal.agent.request('session/new', { cwd: rehearsal.cwd, mcpServers: [] })
    expect(answered).toBe(false)
    rehearsal.child.kill('SIGTERM')
    expect(await rehearsal.exited).toBe(0)
    await over
  })

  it('that hangs hard is ended only by SIGKILL', async () => {
    const rehearsal = await startRehearsal()
    const turn = rehearsal.prompt('say hm. hang hard').catch(() => 'over')
    await rehearsal.heard(({ words }) => words.includes('hm'))
    const { sessionId } = await rehearsal.agent.request('session/new', { cwd: rehearsal.cwd, mcpServers: [] })
    const other = rehearsal.prompt('wait for go to exist', sessionId)
    await rehearsal.heard(({ words }) => words.match(/This is a rehearsal/g)?.length === 2)
    rehearsal.child.kill('SIGTERM')
    await rehearsal.agent.request('session/new', { cwd: rehearsal.cwd, mcpServers: [] })
    writeFileSync(path.join(rehearsal.cwd, 'go'), '')
    // One that had heard the signal would have cancelled what it was at.
    expect(await other).toEqual({ stopReason: 'end_turn' })
    rehearsal.child.kill('SIGKILL')
    expect(await rehearsal.exited).toBe('SIGKILL')
    expect(await turn).toBe('over')
  })
})
