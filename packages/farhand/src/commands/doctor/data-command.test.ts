import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { HubUnderTest, message, notification } from '@farhand/hub/http/hub-under-test'
import { BlobHash } from '@farhand/protocol/wire/blob-hash'
import { eventsHead, packType, writePack } from '@farhand/protocol/wire/pack'
import { paths } from '@farhand/protocol/wire/routes'
import { expect, it } from 'vitest'
import { runHere, testContext } from '../../context/command-context-under-test.ts'
import { doctorDataCommand } from './data-command.ts'

it('doctor --data reads a whole data folder, names what is damaged or unknown, and ends with 1 then', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  await hub.post(at, message('hello'))
  await hub.hub.stop()
  const fine = await runHere(['doctor', '--data', hub.data])
  expect([fine.code, fine.out]).toEqual([0, expect.stringMatching(/1 logs with 1 events, .* 0 problems/)])
  const log = path.join(hub.data, 'logs', `${at.run}.jsonl`)
  const text = readFileSync(log, 'utf8')
  writeFileSync(log, text.replace('hello', 'hallo'))
  writeFileSync(path.join(hub.data, 'logs', 'run_zzzzzzzzzzzzzzzzzzzzzz.jsonl'), text)
  const name = `sha256_${createHash('sha256').update('whole').digest('hex')}`
  mkdirSync(path.join(hub.data, 'files', name.slice(7, 9)), { recursive: true })
  writeFileSync(path.join(hub.data, 'files', name.slice(7, 9), name), 'whol')
  let out = ''
  const context = testContext({
    out: (text: string) => {
      out += text
    },
  })
  const harmed = doctorDataCommand({ data: hub.data, json: true }, context)
  await expect(harmed).rejects.toMatchObject({ exit: 'failed' })
  const lines = out.trimEnd().split('\n')
  const said = lines.map((line) => JSON.parse(line))
  const troubles = said.filter(({ event }) => event === 'trouble').map(({ file, says }) => `${file}: ${says}`)
  expect(troubles.sort()).toEqual([
    expect.stringContaining('its bytes do not hash to its name'),
    expect.stringContaining('line 1 (byte 0'),
    expect.stringContaining('run_zzzzzzzzzzzzzzzzzzzzzz.jsonl: its run is not in store.sqlite'),
  ])
})

it('doctor --data names contents that the store knows and that are gone from the disk, or lie behind the end of their file', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  const bytes = Buffer.from('a content in a file of its own')
  const hash = `sha256_${createHash('sha256').update(bytes).digest('hex')}`
  const headers = { Authorization: `Bearer ${hub.token}` }
  await fetch(new URL(paths.runFile(at, hash), hub.hub.url), { method: 'PUT', headers, body: bytes })
  const small = Buffer.from('a content in a pack')
  const packed = BlobHash.parse(`sha256_${createHash('sha256').update(small).digest('hex')}`)
  const file = { path: 'a', action: 'created', hash: packed, was: null }
  const event = Buffer.from(JSON.stringify(notification('_posthog/file_sync', file)))
  const body = Buffer.concat([writePack([{ hash: packed, bytes: small }]), eventsHead(event.length), event])
  const type = { ...headers, 'Content-Type': packType }
  await fetch(new URL(paths.sync(at), hub.hub.url), { method: 'POST', headers: type, body })
  await hub.hub.stop()
  expect(await runHere(['doctor', '--data', hub.data])).toMatchObject({ code: 0 })
  rmSync(path.join(hub.data, 'files', hash.slice(7, 9), hash))
  const pack = path.join(hub.data, 'files', 'packs', '1.pack')
  truncateSync(pack, 30)
  let out = ''
  const context = testContext({
    out: (text: string) => {
      out += text
    },
  })
  await expect(doctorDataCommand({ data: hub.data }, context)).rejects.toMatchObject({ exit: 'failed' })
  expect(out).toContain(`${hash}: it is missing`)
  expect(out).toMatch(/1\.pack: it ends at byte 30, and contents lie in it up to byte \d+/)
})
