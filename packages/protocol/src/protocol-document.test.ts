import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { methods } from './methods/methods.ts'
import { faults } from './wire/faults.ts'
import { limits } from './wire/limits.ts'
import { paths } from './wire/routes.ts'

const text = readFileSync(new URL('../../../PROTOCOL.md', import.meta.url), 'utf8')
const rows = text
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
const rowOf = (name: string) => rows.find((cells) => cells[1] === `\`${name}\``)

describe('PROTOCOL.md', () => {
  it('has every rule of the wire', () => {
    const numbers = ['W24b', ...Array.from({ length: 42 }, (_, index) => `W${index + 1}`)]
    const ofSeeds = ['W60', 'W61', 'W62', 'W63', 'W64', 'W65', 'W66']
    const ofTasks = ['W80', 'W81', 'W82', 'W83', 'W84', 'W85', 'W86', 'W89']
    const ofSchedules = Array.from({ length: 10 }, (_, index) => `W${index + 90}`)
    const ofAccounts = ['W70', 'W71', 'W72', 'W73', 'W74', 'W75', 'W76', 'W77']
    const ofSharing = ['W110', 'W111', 'W112', 'W113', 'W114', 'W115']
    const ofRequests = Array.from({ length: 9 }, (_, index) => `W${index + 100}`)
    const ofOthers = [...ofSeeds, ...ofAccounts, ...ofTasks, ...ofSchedules, ...ofRequests, ...ofSharing]
    for (const rule of [...numbers, ...ofOthers, 'S3', 'S10']) expect(text, rule).toContain(`**${rule}** `)
  })

  it('says of each rule which seed it serves, and where it goes beyond', () => {
    const table = text.slice(text.indexOf('## Which seed a rule serves'))
    const cells = [...table.matchAll(/^\| ([WS][^|]*) \| ([^|]*)\|/gm)].map(([, rules, seed]) => ({
      rules,
      seed,
    }))
    const served = new Set(cells.flatMap(({ rules }) => rules!.split(', ')))
    const stated = [...text.matchAll(/^\*\*([WS]\d+b?)\*\* /gm)].map(([, rule]) => rule!)
    expect(stated.filter((rule) => !served.has(rule))).toEqual([])
    expect([...served].filter((rule) => !stated.includes(rule))).toEqual([])
    for (const { rules, seed } of cells) expect(seed, rules).toMatch(/^(000|001|000, 001|004|-)/)
  })

  it('W15 lists every method with the authors that may send it', () => {
    for (const [name, { by }] of Object.entries(methods)) expect(rowOf(name)?.[2], name).toBe(by.join(', '))
  })

  it('W3 lists every fault with its status and remedy', () => {
    for (const [code, { status, remedy }] of Object.entries(faults)) {
      expect(rowOf(code)?.slice(2, 4), code).toEqual([String(status), remedy])
    }
  })

  it('lists no method and no fault that does not exist', () => {
    const known = new Set([...Object.keys(methods), ...Object.keys(faults)])
    const listed = rows.map((cells) => cells[1]!.slice(1, -1)).filter((name) => /^[\w/.-]+$/.test(name))
    for (const name of listed) expect(known.has(name), name).toBe(true)
  })

  it('W10 names the limits that are in force', () => {
    expect(limits.eventBytes).toBe(1024 * 1024)
    expect(limits.requestBytes).toBe(8 * 1024 * 1024)
    expect(text).toContain('1 MiB an event')
    expect(text).toContain(`${limits.eventsPerRequest.toLocaleString('en')} events and 8 MiB a request`)
    const said = (count: number) => count.toLocaleString('en')
    expect(text).toContain(`naming ${said(limits.blobsPerRequest)} blobs in all`)
    expect(text).toContain(`${said(limits.openMessages)}\nmessages may wait`)
    expect(text).toContain(`${limits.openQuestions} questions may be\nopen`)
    expect(text).toContain(`up to ${limits.hashesPerRequest.toLocaleString('en')}, answers`)
    expect(text).toContain(`${limits.pageSize} a page`)
    expect(text).toContain(`at most ${said(limits.partsPerPatch)} parts`)
    expect(limits.patchBytesWaiting).toBe(32 * 1024 * 1024)
    expect(text).toContain(`${limits.patchesWaiting} patches, or 32 MiB of them`)
    expect(text).toContain(paths.openapi())
  })
})
