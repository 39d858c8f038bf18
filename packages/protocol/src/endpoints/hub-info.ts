import { z } from 'zod'
import { Me, Ok } from '../schemas/api.ts'
import { AvailableAgents } from '../schemas/available-agents.ts'
import { paths } from '../wire/routes.ts'
import { type Endpoint, json } from './endpoint.ts'

const ask = (path: string, summary: string, who: Endpoint['who'], bodies: Endpoint['body']): Endpoint => ({
  method: 'GET',
  path,
  summary,
  who,
  answers: { 200: { says: 'The current state', bodies: bodies ?? {} } },
})

/** The agents and sandboxes of a hub. */
export const agents = {
  getAgents: {
    method: 'GET',
    path: paths.agents(),
    summary: 'The agents and the kinds of sandbox that runs of this hub can have (W48)',
    who: 'user',
    answers: { 200: { says: 'All agents and kinds of sandbox', bodies: json(AvailableAgents) } },
  },
} as const satisfies Record<string, Endpoint>

/** What a hub tells of itself, and of the caller. */
export const hubInfo = {
  getMe: ask(paths.me(), 'The user or runner that the token belongs to', 'user-or-runner', json(Me)),
  getOpenapi: ask(paths.openapi(), 'This document', 'anyone', json(z.looseObject({}))),
  getHealth: ask(paths.healthz(), 'Whether the process answers', 'anyone', json(Ok)),
  getReady: ask(paths.readyz(), 'Whether the hub accepts requests', 'anyone', json(Ok)),
  getMetrics: ask(paths.metrics(), 'Figures for Prometheus', 'near-or-user', { 'text/plain': null }),
} as const satisfies Record<string, Endpoint>
