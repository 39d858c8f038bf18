import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { resolve } from 'node:path'
import { Fault, malformed } from '@farhand/protocol/wire/faults'
import type { RunId } from '@farhand/protocol/wire/ids'
import findMyWay, { type HTTPMethod } from 'find-my-way'
import { answerOnDevice, asksForDeviceSocket } from './collab/device-socket-offer.ts'
import { isLoopback } from './connections/client-address.ts'
import type { ConnectionLimits } from './connections/connection-limits.ts'
import { Connections, strangerKeepAlive } from './connections/connections.ts'
import { isFromThisMachine } from './connections/from-this-machine.ts'
import { OriginCheck } from './connections/origin-check.ts'
import type { Exchange } from './exchange/exchange.ts'
import { header } from './exchange/exchange.ts'
import { answerFault, answerUnreadable, asFault, letGo } from './exchange/faults.ts'
import { securityHeaders } from './exchange/security-headers.ts'
import { tokenOf } from './exchange/token-cookie.ts'
import { FullDisk } from './full-disk.ts'
import { tokenHolder } from './handlers/token-holder.ts'
import type { HubParts } from './hub-parts/hub-parts.ts'
import { type Route, routes, webFileRoute } from './routes.ts'
import { answerOn, asksForStream, withoutOffer } from './streams/web-socket.ts'

const always = Object.entries(securityHeaders)
const tellDropsMs = 60_000
const mostOffers = 4
const forUsers: readonly Route['who'][] = ['user', 'near-or-user']
const noQuery = new URLSearchParams()
const methods: HTTPMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export type HubServer = {
  server: Server
  connections: Connections
  /** Accepts a connection from the sandbox of a run; only that run's runner may use it. */
  take: (socket: Socket, run: RunId) => void
}

/** The HTTP server: finds the route, authenticates the caller, answers, and reports every error in one format (W3). */
export function makeServer(parts: HubParts, limits: ConnectionLimits): HubServer {
  const onlyFor = new WeakMap<Socket, RunId>()
  const router = findMyWay()
  for (const route of routes(parts)) router.on(route.method, route.path, () => {}, route)
  const webFile = webFileRoute(parts)
  const originCheck = new OriginCheck(parts.config)
  const fullDisk = new FullDisk(parts.logger, resolve(parts.config.data))

  // Load balancers send HEAD. Node omits the body by itself, but a stream would never end.
  const findOpen = (path: string) => {
    const found = router.find('GET', path)
    return (found?.store as Route | undefined)?.who === 'anyone' ? found : null
  }

  const find = (method: string, path: string) => {
    const found = router.find(method as HTTPMethod, path) ?? (method === 'HEAD' ? findOpen(path) : null)
    if (found) return { route: found.store as Route, params: found.params }
    const allowed = methods.filter((other) => router.find(other, path))
    if (allowed.length === 0 && ['GET', 'HEAD'].includes(method)) return { route: webFile, params: {} }
    if (allowed.length === 0)
      throw new Fault('route.unknown', 'nothing is at this address; see /api/openapi.json')
    throw new Fault(
      'route.method-not-allowed',
      `${method} is not for this address; try ${allowed.join(' or ')}`,
    )
  }

  async function answer(req: IncomingMessage, res: ServerResponse, seen: Seen): Promise<void> {
    originCheck.check(req)
    const mark = req.url!.indexOf('?')
    const path = mark < 0 ? req.url! : req.url!.slice(0, mark)
    const { route, params } = find(req.method!, path)
    seen.route = route.path
    seen.busy = route.busy
    const isFromSandbox = onlyFor.has(req.socket)
    const open =
      route.who === 'anyone' ||
      route.who === 'address' ||
      (route.who === 'near-or-user' && !isFromSandbox && isFromThisMachine(req, parts.config.publicUrl))
    if (!parts.ready() && !open) throw new Fault('hub.stopping', 'this hub is stopping; try again shortly')
    // A sandbox has no business there: its agent would have the user's address, and could try passwords or lock the user out.
    if (isFromSandbox && route.who === 'anyone' && req.method === 'POST')
      throw new Fault('role.refused', 'from a sandbox only the runner of its run is heard')
    const query = mark < 0 ? noQuery : new URLSearchParams(req.url!.slice(mark + 1))
    const trust = () => void connections.trust(req.socket, null)
    const exchange: Exchange = { req, res, params, query, who: null, needs: route.needs, trust }
    if (open) hintStranger(req, res)
    else {
      const token = tokenOf(req)
      if (token === undefined) {
        throw new Fault(
          'token.missing',
          'send "Authorization: Bearer <token>" or sign in with the link of the hub',
        )
      }
      const device = header(req, 'device-id')
      exchange.who = parts.signIn.known(token, device) ?? (await tokenHolder(parts, req, token, device))
      seen.who = exchange.who
      if (!connections.trust(req.socket, viaProxy(req) ? null : nameOf(exchange.who))) {
        res.setHeader('Connection', 'close')
        throw new Fault(
          'hub.busy',
          `you have ${limits.perUser} connections open, and no more are taken; close some`,
        )
      }
      const only = onlyFor.get(req.socket)
      // The hub gave this sandbox only the token of its own runner; any other token was not meant for it.
      if (only !== undefined && !(exchange.who.kind === 'runner' && exchange.who.run === only))
        throw new Fault('role.refused', 'from a sandbox only the runner of its run is heard')
      refuseGuest(route, exchange.who)
      if (forUsers.includes(route.who) && exchange.who.kind === 'runner') {
        throw new Fault('role.refused', "a runner's token opens its own run only, and this is for people")
      }
      if (route.who === 'runner' && exchange.who.kind !== 'runner')
        throw new Fault('role.refused', 'only the runner of a run may say this, with its own token')
    }
    await route.handler(exchange)
  }

  const viaProxy = ({ socket }: IncomingMessage) =>
    parts.config.publicUrl !== undefined && isLoopback(socket.remoteAddress ?? '')

  // Tells a client without a token how long its connection is kept open.
  const hintStranger = (req: IncomingMessage, res: ServerResponse) => {
    if (!connections.isStranger(req.socket) || req.httpVersion !== '1.1') return
    if (/close|upgrade/i.test(header(req, 'connection') ?? '')) return
    res.setHeader('Connection', 'keep-alive')
    res.setHeader('Keep-Alive', strangerKeepAlive)
  }

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    connections.track(req.socket, res)
    for (const [name, value] of always) res.setHeader(name, value)
    const seen: Seen = { route: 'none', busy: false, who: null }
    const began = performance.now()
    try {
      await answer(req, res, seen)
      letGo(res)
    } catch (error) {
      refuse(error, req, res, seen)
    }
    const ms = performance.now() - began
    const { statusCode: status } = res
    parts.metrics.requests.observe(req.method!, seen.route, status, ms / 1000)
    if (status < 400 && seen.busy) return
    // The URL is not logged: a signed one gives access.
    parts.logger.info({
      method: req.method,
      route: seen.route,
      status,
      ms: Math.round(ms * 10) / 10,
      ...whose(seen),
    })
  }

  let toldAt = Number.NEGATIVE_INFINITY
  const onDrop = () => {
    if (performance.now() - toldAt < tellDropsMs) return
    toldAt = performance.now()
    parts.logger.warn({ limits }, 'there are too many connections: those that show no token are closed')
  }
  const headersTimeout = Math.min(parts.config.bodyTimeoutMs, 15_000)
  const server = createServer(
    {
      keepAliveTimeout: 75_000,
      headersTimeout,
      requestTimeout: 0,
      connectionsCheckingInterval: Math.ceil(headersTimeout / 8),
      // Node's own answer to a missing Host has another format; `OriginCheck` refuses it instead.
      requireHostHeader: false,
    },
    (req, res) => void serve(req, res),
  )
  const connections = new Connections(server, limits, onDrop)
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (connections.canAnswer(socket)) answerUnreadable(error, socket)
    else socket.destroy()
  })
  // Any other `Upgrade` header is ignored, as HTTP demands, and the request is answered. Some clients send it with every first
  // request, also with a body: the request is parsed again without the header. Each time leaves listeners on the connection, so one
  // that sends it again and again is closed (W52).
  const offered = new WeakMap<Socket, number>()
  server.on('upgrade', (req, socket: Socket, rest) => {
    if (asksForStream(req)) return void serve(req, answerOn(req, socket))
    if (asksForDeviceSocket(req)) return void serve(req, answerOnDevice(req, socket, rest))
    const times = (offered.get(socket) ?? 0) + 1
    offered.set(socket, times)
    if (times > mostOffers) return void socket.destroy()
    socket.unshift(Buffer.concat([withoutOffer(req, times === mostOffers), rest]))
    server.emit('connection', socket)
  })
  server.on('connect', (_req, socket) => answerUnreadable(new Error('this is no proxy'), socket))
  server.on('checkExpectation', (_req, res) => {
    answerFault(res, malformed('expect', 'only 100-continue is known'))
  })

  function refuse(error: unknown, req: IncomingMessage, res: ServerResponse, seen: Seen): void {
    const fault = asFault(error)
    const { code } = fault
    fullDisk.refused(fault, performance.now())
    // A client that disconnected gets no answer, which is no error of the hub.
    if (code === 'hub.failed' && !res.destroyed)
      parts.logger.error({ err: error, route: seen.route }, 'request failed')
    if (code.startsWith('token.')) hintStranger(req, res)
    if (code === 'route.method-not-allowed') {
      res.setHeader(
        'Allow',
        methods.filter((method) => router.find(method, req.url!.split('?')[0]!)).join(', '),
      )
    }
    answerFault(res, fault)
  }
  const take = (socket: Socket, run: RunId) => {
    // The stopping server would not wait for it: it counts only connections of its port.
    if (!parts.ready()) return void socket.destroy()
    onlyFor.set(socket, run)
    server.emit('connection', socket)
  }
  return { server, connections, take }
}

/** The link of a shared run opens only what is meant for it (W114). */
function refuseGuest(route: Route, who: NonNullable<Exchange['who']>): void {
  if (route.who === 'guest' && who.kind !== 'guest')
    throw new Fault('role.refused', 'this is for the link of a shared run; a user asks for the run itself')
  if (who.kind === 'guest' && route.who !== 'guest' && !route.guests)
    throw new Fault('role.refused', 'this link shows one run, read only; sign in for anything else')
}

type Seen = { route: string; busy: boolean; who: Exchange['who'] }

function whose({ who }: Seen) {
  if (who === null) return {}
  if (who.kind === 'guest') return { run: who.run, link: who.link }
  return who.kind === 'user' ? { user: who.user } : { run: who.run, generation: who.generation }
}

function nameOf(who: NonNullable<Exchange['who']>): string {
  if (who.kind === 'guest') return who.link
  return who.kind === 'user' ? who.user : who.run
}
