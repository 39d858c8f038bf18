import { describe, expect, it } from 'vitest'
import { methods } from '../methods/methods.ts'
import { faults } from '../wire/faults.ts'
import { paths, type RunAddress } from '../wire/routes.ts'
import { type Endpoint, template } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { openapi } from './openapi.ts'

const all: Endpoint[] = Object.values(endpoints)
const document = JSON.parse(JSON.stringify(openapi('1.2.3')))

describe('the endpoints', () => {
  it('W2 are at the paths of routes.ts, and every path has one', () => {
    const known = Object.values<unknown>({
      ...paths,
      project: (at: RunAddress) => paths.project(at.project),
      tasks: (at: RunAddress) => paths.tasks(at.project),
      task: (at: RunAddress) => paths.task(at.project, at.task),
      runs: (at: RunAddress) => paths.runs(at.project, at.task),
      anyRun: (at: RunAddress) => paths.anyRun(at.run),
      secrets: (at: RunAddress) => paths.secrets(at.project),
      secret: (at: RunAddress) => paths.secret(at.project, '{name}'),
      setupCache: (at: RunAddress) => paths.setupCache(at, '{key}'),
      file: () => '/files/{hash}',
      runFile: (at: RunAddress) => paths.runFile(at, '{hash}'),
      session: () => '/api/sessions/{session}',
      sessionName: () => '/api/sessions/{session}/name',
      device: () => '/api/devices/{device}',
      deviceCode: () => '/api/device-codes/{code}',
      projectMembers: (at: RunAddress) => paths.projectMembers(at.project),
      projectMember: () => '/api/projects/{project}/members/{user}',
      invitations: (at: RunAddress) => paths.invitations(at.project),
      invitation: () => '/api/projects/{project}/invitations/{invitation}',
      runLink: () => '/api/run-links/{link}',
      userToken: () => '/api/tokens/{token}',
      runTitle: () => '/api/runs/{run}/title',
      runArchived: () => '/api/runs/{run}/archived',
      runMuted: () => '/api/runs/{run}/muted',
      runLooking: () => '/api/runs/{run}/looking',
      runDelegated: () => '/api/runs/{run}/delegated',
      runSeen: () => '/api/runs/{run}/seen',
      request: () => '/api/requests/{request}',
      acceptRequest: () => '/api/requests/{request}/accept',
      cancelRequest: () => '/api/requests/{request}/cancel',
      schedule: () => '/api/schedules/{schedule}',
      scheduleRunNow: () => '/api/schedules/{schedule}/run-now',
      occurrences: () => '/api/schedules/{schedule}/occurrences',
      pushSubscription: () => '/api/push/subscriptions/{id}',
      delegatedTask: () => '/acp/tasks/{delegated}',
      delegatedStream: () => '/acp/tasks/{delegated}/stream',
      delegatedState: () => '/acp/tasks/{delegated}/state',
      delegatedInput: () => '/acp/tasks/{delegated}/input',
    }).map((path) => template(path as (at: RunAddress) => string))
    expect(new Set(all.map((endpoint) => endpoint.path))).toEqual(new Set(known))
  })

  it('are each there once', () => {
    const places = all.map(({ method, path }) => `${method} ${path}`)
    expect(new Set(places).size).toBe(places.length)
  })

  it('W3 name every fault that belongs to a call', () => {
    // These are met before it is known which call it is.
    const anywhere = ['route.unknown', 'route.method-not-allowed', 'request.headers-too-large']
    const everyCall = ['request.malformed', 'host.refused', 'origin.refused', 'hub.failed', 'hub.stopping']
    const named = all.flatMap((endpoint) => endpoint.faults ?? [])
    const withToken = [
      'token.missing',
      'token.invalid',
      'token.revoked',
      'token.expired',
      'token.too-often',
      'device.refused',
    ]
    const known = new Set<string>([...named, ...anywhere, ...everyCall, ...withToken])
    expect([...known].sort()).toEqual(Object.keys(faults).sort())
  })
})

describe('the OpenAPI document', () => {
  it('has an operation for every endpoint, and every reference in it leads somewhere', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info.version).toBe('1.2.3')
    for (const { method, path } of all) expect(document.paths[path][method.toLowerCase()]).toBeDefined()
    const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref!)
    expect(refs.length).toBeGreaterThan(50)
    for (const ref of refs) {
      const [root, group, kind, name] = ref.split('/')
      expect([root, group, kind], ref).toEqual(['#', 'components', 'schemas'])
      expect(document.components.schemas[name!], ref).toBeDefined()
    }
  })

  it('W15 knows every method and who may send it', () => {
    const { anyOf } = document.components.schemas.Notification
    expect(anyOf.slice(0, -1).map((one: typeof document) => one.properties.method.const)).toEqual(
      Object.keys(methods),
    )
  })

  it('W3 has the one shape of error in every answer that is not a success', () => {
    for (const operations of Object.values<typeof document>(document.paths)) {
      for (const { responses } of Object.values<typeof document>(operations)) {
        for (const [status, answer] of Object.entries<typeof document>(responses)) {
          if (Number(status) < 400) continue
          expect(answer.content['application/json'].schema.$ref).toBe('#/components/schemas/FaultAnswer')
        }
      }
    }
  })

  it('lists query, headers and path names of a stream', () => {
    const { parameters } = document.paths[endpoints.getSync.path].get
    expect(
      parameters.map((one: typeof document) => `${one.in} ${one.name}${one.required ? '!' : ''}`),
    ).toEqual([
      'path project!',
      'path task!',
      'path run!',
      'query last_event_id',
      'query start',
      'query envelope',
      'query to',
      'query files',
      'query contents',
      'query presence',
      'header Session-Id',
      'header Last-Event-ID',
    ])
  })
})
