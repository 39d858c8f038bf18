import { appendFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { follow } from '@farhand/client/follow/follow'
import type { SeenEvent } from '@farhand/protocol/wire/seen-event'
import { describe, expect, it } from 'vitest'
import { RunUnderTest } from '../runner-under-test.ts'
import { type InputFilesOptions, withInputFiles } from './with-input-files.ts'

async function fed() {
  const run = await RunUnderTest.begin()
  const files = { messages: join(run.state, 'messages.jsonl'), control: join(run.state, 'control.jsonl') }
  const troubles: string[] = []
  const changed: string[] = []
  const options: InputFilesOptions = {
    hub: run.user,
    at: run.at,
    ...files,
    state: join(run.state, 'fed'),
    onTrouble: (_, why) => troubles.push(why),
    onChanged: (paths) => changed.push(...paths),
    signal: new AbortController().signal,
  }
  const message = (content: string) => `${JSON.stringify({ type: 'user_message', content })}\n`
  return { run, ...files, troubles, changed, options, message }
}

const isMessage =
  (content: string) =>
  ({ notification: { method, params } }: SeenEvent) =>
    method === '_posthog/user_message' && params?.content === content

async function messagesUntil(run: RunUnderTest, last: string): Promise<unknown[]> {
  const seen: unknown[] = []
  await run.until((event) => {
    if (event.notification.method === '_posthog/user_message') seen.push(event.notification.params?.content)
    return isMessage(last)(event)
  })
  return seen
}

describe('a run that is fed from files', () => {
  it('hears what is written, does it, is cancelled, and is closed', async () => {
    const { run, messages, control, options, message } = await fed()
    await run.start()
    await withInputFiles(options, async () => {
      await writeFile(messages, message('think for 60 seconds'))
      await run.until(({ notification }) => notification.method === 'agent_thought_chunk')
      await writeFile(control, '{"action":"cancel"}\n')
      const turn = await run.until(({ notification }) => notification.method === '_posthog/turn_complete')
      expect(turn.notification.params).toMatchObject({ stopReason: 'cancelled' })
      await appendFile(control, '{"action":"close"}\n')
      expect(await run.end).toBe('closed')
    })
  })

  it('W9 gets each line once, in order, no matter how often the feeding program starts again', async () => {
    const { run, messages, options, message } = await fed()
    await writeFile(messages, message('one') + message('two').slice(0, 12))
    await withInputFiles(options, () => run.until(isMessage('one')))
    // As after a crash between sending and noting it.
    await rm(options.state, { recursive: true })
    await appendFile(messages, message('two').slice(12) + message('one') + message('end'))
    const heard = await withInputFiles(options, () => messagesUntil(run, 'end'))
    expect(heard).toEqual(['one', 'two', 'one', 'end'])
  })

  it('tells of files that changed in their place before it says what comes after, and once', async () => {
    const { run, messages, options, changed, message } = await fed()
    await writeFile(messages, `{"type":"file_sync","files":["a.txt","b/c.txt"]}\n${message('after')}`)
    await withInputFiles(options, () => messagesUntil(run, 'after'))
    expect(changed).toEqual(['a.txt', 'b/c.txt'])
    await appendFile(messages, message('later'))
    await withInputFiles(options, () => messagesUntil(run, 'later'))
    expect(changed).toHaveLength(2)
  })

  it('passes over malformed lines and those that the hub refuses, and reports them', async () => {
    const { run, messages, options, troubles, message } = await fed()
    const hash = `sha256_${'0'.repeat(64)}`
    const unknown = JSON.stringify({ type: 'file_sync', path: 'a', action: 'created', hash })
    await writeFile(messages, `{"type":\n${unknown}\n${message('after')}`)
    expect(await withInputFiles(options, () => messagesUntil(run, 'after'))).toEqual(['after'])
    expect(troubles).toEqual(['it is not JSON', expect.stringContaining('not stored yet')])
  })

  it('ends its work when nothing can be fed any more, and says why', async () => {
    const { run, messages, options, message } = await fed()
    await writeFile(messages, message('hello'))
    const stranger = { ...options, hub: { ...run.user, token: 'nobody' } }
    const untilStopped = (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal.aborted) resolve()
        else signal.addEventListener('abort', () => resolve())
      })
    await expect(withInputFiles(stranger, untilStopped)).rejects.toMatchObject({ code: 'token.invalid' })
    const heard = await withInputFiles(options, async (signal) => {
      for await (const event of follow(run.user, run.at, { envelope: 'stored', signal }))
        if (isMessage('hello')(event)) return true
      return false
    })
    expect(heard).toBe(true)
  })
})
