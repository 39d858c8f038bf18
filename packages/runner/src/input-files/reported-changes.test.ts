import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ReportedChanges } from './reported-changes.ts'

function folder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-told-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return join(folder, 'fed')
}

const told = (...paths: string[]) => paths.map((path) => ({ path, by: 'someone' }))

describe('changes that another program reports', () => {
  it('are given once, each path once, in the order in which they were first told', () => {
    const changes = new ReportedChanges(folder())
    expect(changes.take()).toEqual([])
    changes.tell(['b', 'a'])
    changes.tell(['a', 'c'])
    expect(changes.take()).toEqual(told('b', 'a', 'c'))
    expect(changes.take()).toEqual([])
  })

  it('outlive the runner that heard of them', () => {
    const place = folder()
    new ReportedChanges(place).tell(['a'])
    const next = new ReportedChanges(place)
    next.tell(['b'])
    expect(next.take()).toEqual(told('a', 'b'))
    expect(new ReportedChanges(place).take()).toEqual([])
  })

  it('are the last ten thousand at most', () => {
    const changes = new ReportedChanges(folder())
    changes.tell(Array.from({ length: 10_001 }, (_, n) => `${n}`))
    expect(changes.take().map(({ path }) => path)).toEqual(
      Array.from({ length: 10_000 }, (_, n) => `${n + 1}`),
    )
  })

  it('are none if the notes are damaged', () => {
    const place = folder()
    new ReportedChanges(place).tell(['a'])
    writeFileSync(join(place, 'told-changes.json'), '["a')
    expect(new ReportedChanges(place).take()).toEqual([])
  })
})
