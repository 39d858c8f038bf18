import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { post } from '@farhand/client/post/post'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { DeviceId, newId } from '@farhand/protocol/wire/ids'
import { describe, expect, it } from 'vitest'
import { RunUnderTest, rehearsalAgent } from './runner-under-test.ts'

const is = (method: string) => (event: { notification: { method: string } }) =>
  event.notification.method === method

describe('a runner that comes after another', () => {
  it('works on what was accepted while there was none, although the hub was killed since', async () => {
    const run = await RunUnderTest.begin(rehearsalAgent, 'own hub')
    await run.say('_posthog/user_message', { content: 'say one' })
    await run.say('_posthog/user_message', { content: 'say two' })
    await run.hub.kill()
    await run.hub.spawn()
    await run.start()
    const second = await run.until(
      ({ notification: { method, params } }) =>
        method === '_posthog/turn_complete' && params?.messageId === 2,
    )
    const said: string[] = []
    await run.until((event) => {
      if (is('agent_message_chunk')(event)) said.push(String(event.notification.params?.text))
      return event.id === second.id
    })
    expect(said.join(' ')).toMatch(/one.*two/)
  })

  it('in an empty place has every file as the log has it: none that was deleted, and all that were edited since', async () => {
    const run = await RunUnderTest.begin()
    await writeFile(join(run.workspace, 'base.txt'), 'base')
    // A runner waits only so long for that: here as long as any machine needs.
    await run.start(undefined, undefined, { settleMs: 60_000 })
    await run.turn(
      'write gone.txt with gone\nwrite kept.txt with kept\ndelete base.txt\nwrite late.txt with late',
    )
    const last = await run.turn('append and more to kept.txt\ndelete gone.txt')
    // What a turn has done is in the log when its end is: from here on the place may be lost at any moment.
    expect(JSON.stringify(last)).toMatch(/file_change.*gone\.txt.*"deleted".*turn_complete/)
    await run.stop()
    // A person edits while there is no sandbox at all.
    const bytes = Buffer.from('edited on the train')
    const hash = BlobHash.parse(`sha256_${createHash('sha256').update(bytes).digest('hex')}`)
    const edit = { path: 'late.txt', action: 'modified', hash, size: bytes.length, mode: '100644' }
    await post(
      { ...run.user, deviceId: newId(DeviceId, 'dev') },
      run.at,
      { jsonrpc: '2.0', method: '_posthog/file_sync', params: edit },
      { blobs: [{ hash, bytes }] },
    )
    await rm(join(run.state, 'runner'), { recursive: true })
    for (const name of await readdir(run.workspace))
      await rm(join(run.workspace, name), { recursive: true, force: true })
    await run.start()
    await run.turn('say ready')
    expect((await readdir(run.workspace)).filter((name) => name !== '.farhand').sort()).toEqual([
      'kept.txt',
      'late.txt',
    ])
    expect(await readFile(join(run.workspace, 'kept.txt'), 'utf8')).toContain('more')
    expect(await readFile(join(run.workspace, 'late.txt'), 'utf8')).toBe('edited on the train')
  })
})

describe('a question', () => {
  it('can be answered later, although the hub was killed meanwhile', async () => {
    const run = await RunUnderTest.begin(rehearsalAgent, 'own hub')
    await run.start()
    await run.say('_posthog/user_message', { content: 'ask permission to write secret.txt with one' })
    await run.until(is('_posthog/agent_question'))
    await run.hub.kill()
    await run.hub.spawn()
    const asked = await run.until(is('_posthog/agent_question'))
    const { questionId, options } = asked.notification.params as {
      questionId: string
      options: { optionId: string; kind: string }[]
    }
    expect(existsSync(join(run.workspace, 'secret.txt'))).toBe(false)
    const { optionId } = options.find(({ kind }) => kind === 'allow_once')!
    await run.say('_posthog/user_response', { questionId, answer: optionId })
    const end = await run.until(is('_posthog/turn_complete'))
    expect(end.notification.params).toMatchObject({ stopReason: 'end_turn' })
    expect(await readFile(join(run.workspace, 'secret.txt'), 'utf8')).toContain('one')
  })
})
