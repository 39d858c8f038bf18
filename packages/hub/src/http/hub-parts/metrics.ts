import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RequestTimes } from './request-times.ts'

/** What a Prometheus server can ask the hub. Labels are routes and codes, never ids: those would grow without end. */
export class Metrics {
  readonly #registry = new Registry()
  readonly requests = new RequestTimes()
  readonly appended = new Counter({
    name: 'farhand_log_events_total',
    help: 'Events acknowledged, those sent again included',
    registers: [this.#registry],
  })
  readonly readers = new Gauge({
    name: 'farhand_readers',
    help: 'Open event streams',
    registers: [this.#registry],
  })

  constructor() {
    // At its usual 10 ms the hub would never sleep.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 100 })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  async text(): Promise<string> {
    return `${await this.#registry.metrics()}\n${this.requests.text()}`
  }
}
