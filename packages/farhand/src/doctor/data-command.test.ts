import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { HubUnderTest, message } from '@farhand/hub/http/hub-under-test'
import { expect, it } from 'vitest'
import { runHere, worldOf } from '../world-under-test.ts'
import { doctorDataCommand } from './data-command.ts'

it('doctor --data reads a whole data folder, names what is damaged or unknown, and ends with 1 then', async () => {
  const hub = await HubUnderTest.start()
  const at = await hub.run()
  await hub.post(at, message('hello'))
  await hub.hub.stop()
  const fine = await runHere(['doctor', '--data', hub.data])
  expect([fine.code, fine.out]).toEqual([0, expect.stringMatching(/1 logs with 1 events, .* 0 troubles/)])
  const log = path.join(hub.data, 'logs', `${at.run}.jsonl`)
  const text = readFileSync(log, 'utf8')
  writeFileSync(log, text.replace('hello', 'hallo'))
  writeFileSync(path.join(hub.data, 'logs', 'run_unknownunknownunknown1.jsonl'), text)
  const name = `sha256_${createHash('sha256').update('whole').digest('hex')}`
  mkdirSync(path.join(hub.data, 'files', name.slice(7, 9)), { recursive: true })
  writeFileSync(path.join(hub.data, 'files', name.slice(7, 9), name), 'whol')
  let out = ''
  const world = worldOf({
    out: (text: string) => {
      out += text
    },
  })
  const harmed = doctorDataCommand({ data: hub.data, json: true }, world)
  await expect(harmed).rejects.toMatchObject({ exit: 'failed' })
  const lines = out.trimEnd().split('\n')
  const said = lines.map((line) => JSON.parse(line))
  const troubles = said.filter(({ event }) => event === 'trouble').map(({ file, says }) => `${file}: ${says}`)
  expect(troubles.sort()).toEqual([
    expect.stringContaining('its bytes do not hash to its name'),
    expect.stringContaining('line 1 (byte 0'),
    expect.stringContaining('run_unknownunknownunknown1.jsonl: store.sqlite does not know its run'),
  ])
})
