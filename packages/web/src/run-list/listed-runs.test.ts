import { ListedRun } from '@farhand/protocol/schemas/api'
import { describe, expect, it } from 'vitest'
import { withListed, withPage } from './listed-runs.ts'

const listed = (name: string, minute: number, more: object = {}): ListedRun =>
  ListedRun.parse({
    id: `run_listed0${name}`,
    project: 'prj_listed00',
    task: 'tsk_listed00',
    agent: null,
    mode: 'interactive',
    sandbox: null,
    createdAt: `2026-01-01T00:0${minute}:00.000Z`,
    projectName: 'demo',
    title: `Title ${name}`,
    now: null,
    ...more,
  })

const all = { find: '', archived: false }
const titles = (runs: readonly ListedRun[]) => runs.map(({ title }) => title)
const runs = [listed('c', 3), listed('a', 1)]

describe('a list of runs', () => {
  it('shows news of a run at the place of that run', () => {
    const news = listed('a', 1, { title: 'Renamed' })
    expect(titles(withListed(runs, news, all))).toEqual(['Title c', 'Renamed'])
  })

  it('puts a new one at the place of its age', () => {
    expect(titles(withListed(runs, listed('b', 2), all))).toEqual(['Title c', 'Title b', 'Title a'])
    expect(titles(withListed(runs, listed('d', 4), all))).toEqual(['Title d', 'Title c', 'Title a'])
  })

  it('has a run of a later page, too, if there is news of it', () => {
    expect(titles(withListed(runs, listed('z', 0), all))).toEqual(['Title c', 'Title a', 'Title z'])
  })

  it('has a further page after the runs that are there, in order of age, and each run once', () => {
    const news = listed('z', 0, { title: 'Renamed' })
    const known = [...runs, listed('z', 0)]
    expect(titles(withPage(known, [listed('b', 2), news], all))).toEqual([
      ...['Title c', 'Title b', 'Title a'],
      'Renamed',
    ])
    const away = listed('b', 2, { isArchived: true })
    expect(titles(withPage(runs, [away], { find: 'x', archived: false }))).toEqual(['Title c', 'Title a'])
  })

  it('drops a run that was archived, or that no longer matches the search', () => {
    expect(titles(withListed(runs, listed('c', 3, { isArchived: true }), all))).toEqual(['Title a'])
    const query = { find: 'title C', archived: false }
    expect(titles(withListed(runs, listed('c', 3, { title: 'Other' }), query))).toEqual(['Title a'])
  })
})
