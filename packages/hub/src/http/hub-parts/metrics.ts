import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { RequestTimes } from './request-times.ts'

/** The hub's metrics for Prometheus. Labels are routes and codes, never ids, whose number would grow without limit. */
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
    // The default of 10 ms would keep an idle hub awake.
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: 100 })
  }

  get contentType(): string {
    return this.#registry.contentType
  }

  async text(): Promise<string> {
    return `${await this.#registry.metrics()}\n${this.requests.text()}`
  }
}
