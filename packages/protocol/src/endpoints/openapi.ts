import { z } from 'zod'
import { methods } from '../methods/methods.ts'
import { FaultAnswer, type FaultCode, faults } from '../wire/faults.ts'
import { sessionKeyHeader } from '../wire/session-key.ts'
import { type Answer, type Bodies, type Endpoint, rightOf } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { paramsName, schemaNames } from './schema-names.ts'

type Json = Record<string, unknown>

const wireVersion = '1.0.0'

const everyCall: FaultCode[] = [
  'request.malformed',
  'host.refused',
  'origin.refused',
  'hub.failed',
  'hub.stopping',
]
const withToken: FaultCode[] = [
  'token.missing',
  'token.invalid',
  'token.revoked',
  'token.expired',
  'token.too-often',
  'device.refused',
]

/** The OpenAPI 3.1 document of a hub, made from the schemas that the hub checks requests with. */
export function openapi(version: string = wireVersion): Json {
  const names = schemaNames()
  const paths: Record<string, Json> = {}
  for (const [name, endpoint] of Object.entries<Endpoint>(endpoints)) {
    paths[endpoint.path] ??= {}
    paths[endpoint.path]![endpoint.method.toLowerCase()] = operation(name, endpoint, names)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Farhand hub', version, license: { name: 'MIT', identifier: 'MIT' } },
    paths,
    components: {
      schemas: { ...namedSchemas(names), Notification: notification() },
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'farhand' },
        sessionKey: { type: 'apiKey', in: 'header', name: sessionKeyHeader },
      },
    },
  }
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function namedSchemas(names: Map<z.ZodType, string>): Json {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of names) registry.add(schema, { id })
  // As input: a reader ignores what it does not know, so no object is closed to further members.
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => ref(id).$ref })
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, bare(schema)]))
}

function bare({ $schema: _, $id: __, ...schema }: Json): Json {
  return schema
}

/** A notification of each method, and one of methods that other programs define (W15). */
function notification(): Json {
  const of = (method: Json, params: Json, description: string) => ({
    type: 'object',
    description,
    properties: { jsonrpc: { const: '2.0' }, method, params },
    required: ['jsonrpc', 'method'],
  })
  const known = Object.entries(methods).map(([method, { by }]) =>
    of({ const: method }, ref(paramsName(method)), `Sent by: ${by.join(', ')}`),
  )
  const own = of({ type: 'string', pattern: '^_', maxLength: 200 }, { type: 'object' }, 'Sent by: anyone')
  return { anyOf: [...known, own] }
}

function operation(name: string, endpoint: Endpoint, names: Map<z.ZodType, string>): Json {
  const open = endpoint.who === 'anyone' || endpoint.who === 'address'
  const refusable = isOfProject(endpoint) && rightOf(endpoint) !== 'view'
  const byRole: FaultCode[] = refusable ? ['role.refused'] : []
  const codes = [...everyCall, ...(open ? [] : withToken), ...byRole, ...(endpoint.faults ?? [])]
  return {
    operationId: name,
    summary: endpoint.summary,
    security: open ? [] : [{ token: [] }, { cookie: [], sessionKey: [] }],
    'x-who': endpoint.who,
    ...(isOfProject(endpoint) && { 'x-needs': rightOf(endpoint) }),
    ...(endpoint.guests && { 'x-guests': true }),
    parameters: [
      ...[...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter('path', name!, z.string())),
      ...parameters('query', endpoint.query),
      ...parameters('header', endpoint.headers),
    ],
    ...(endpoint.body && { requestBody: { required: true, content: content(endpoint.body, names) } }),
    responses: { ...answers(endpoint.answers, names), ...refusals(codes, names) },
  }
}

/** Whether the request is about a project or a run, so that the role of the user there decides (W110). */
const isOfProject = ({ path, who }: Endpoint) => who.startsWith('user') && /\{(project|run|link)\}/.test(path)

function parameters(where: 'query' | 'header', fields: z.ZodObject | undefined): Json[] {
  const shape: Record<string, z.core.$ZodType> = fields?.shape ?? {}
  return Object.entries(shape).map(([name, schema]) => parameter(where, name, schema))
}

function parameter(where: 'path' | 'query' | 'header', name: string, schema: z.core.$ZodType): Json {
  const { description, ...rest } = bare(z.toJSONSchema(schema, { io: 'input' }))
  const required = where === 'path' || !z.safeParse(schema, undefined).success
  return { name, in: where, required, ...(description !== undefined && { description }), schema: rest }
}

function content(bodies: Bodies, names: Map<z.ZodType, string>): Json {
  const schemaOf = (schema: z.ZodType) => {
    const name = names.get(schema)
    return name ? ref(name) : bare(z.toJSONSchema(schema, { io: 'input' }))
  }
  return Object.fromEntries(
    Object.entries(bodies).map(([type, schema]) => [type, schema ? { schema: schemaOf(schema) } : {}]),
  )
}

function answers(all: Record<number, Answer>, names: Map<z.ZodType, string>): Json {
  const headers = (answer: Answer) =>
    Object.fromEntries(
      parameters('header', answer.headers).map(({ name, in: _, required: __, ...rest }) => [name, rest]),
    )
  return Object.fromEntries(
    Object.entries(all).map(([status, answer]) => [
      status,
      {
        description: answer.says,
        ...(answer.headers && { headers: headers(answer) }),
        ...(answer.bodies && { content: content(answer.bodies, names) }),
      },
    ]),
  )
}

/** One answer for each status, naming the codes that travel under it (W3). */
function refusals(codes: FaultCode[], names: Map<z.ZodType, string>): Json {
  const statuses = [...new Set(codes.map((code) => faults[code].status))]
  const under = (status: number) => [...new Set(codes)].filter((code) => faults[code].status === status)
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      { description: under(status).join(', '), content: content({ 'application/json': FaultAnswer }, names) },
    ]),
  )
}
