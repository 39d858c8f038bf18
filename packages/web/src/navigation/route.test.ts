import { describe, expect, it } from 'vitest'
import { pathOf, type Route, routeOf, sharedTokenIn } from './route.ts'

describe('a route', () => {
  it.each<[string, Route]>([
    ['/', { is: 'runs' }],
    ['/runs', { is: 'runs' }],
    ['/runs/run_1', { is: 'run', run: 'run_1', part: 'talk', event: null }],
    ['/runs/run_1/', { is: 'run', run: 'run_1', part: 'talk', event: null }],
    ['/runs/run_1#e12', { is: 'run', run: 'run_1', part: 'talk', event: 12 }],
    ['/runs/run_1/files', { is: 'run', run: 'run_1', part: 'files', event: null }],
    ['/new', { is: 'new' }],
    ['/settings', { is: 'settings' }],
    ['/in', { is: 'in' }],
    ['/#join=fhi_4fJ2', { is: 'join', invitation: 'fhi_4fJ2' }],
    ['/schedules', { is: 'schedules' }],
    ['/schedules/new', { is: 'new-schedule' }],
    ['/schedules/sch_1', { is: 'schedule', schedule: 'sch_1' }],
  ])('%s is read', (address, route) => {
    const [path, fragment] = address.split('#')
    expect(routeOf(path!, fragment && `#${fragment}`)).toEqual(route)
    expect(routeOf(...(pathOf(route).split(/(?=#)/) as [string]))).toEqual(route)
  })

  it.each([
    '/runs/run_1/elsewhere',
    '/runs/a/files/b',
    '/new/run',
    '/schedules/a/b',
    '/runs/%E0%A4%A',
    '/api',
  ])('%s names nothing, and says so', (path) => expect(routeOf(path)).toEqual({ is: 'nowhere' }))

  it('a fragment that is not an event is ignored', () => {
    for (const fragment of ['#e0', '#e-1', '#e1e9', '#token=x', '#e99999999999999999999'])
      expect(routeOf('/runs/r', fragment)).toEqual({ is: 'run', run: 'r', part: 'talk', event: null })
  })

  it('the link of a shared run and an invitation are told by their fragment alone', () => {
    expect(sharedTokenIn('#shared=fhg_4fJ2')).toBe('fhg_4fJ2')
    for (const fragment of ['', '#shared=', '#shared=fh_4fJ2', '#shared=fhg_a b', '#join=fhg_4fJ2'])
      expect(sharedTokenIn(fragment)).toBeNull()
    expect(routeOf('/', '#join=fhi_<b>')).toEqual({ is: 'runs' })
  })

  it('an id with letters that have a meaning in addresses comes back whole', () => {
    const route: Route = { is: 'run', run: 'a/b #e3?%', part: 'files', event: null }
    expect(routeOf(pathOf(route))).toEqual(route)
  })
})
