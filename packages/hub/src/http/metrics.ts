import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** What a Prometheus server can ask the hub. Labels are routes and codes, never ids: those would grow without end. */
export class Metrics {
  readonly registry = new Registry()
  readonly requests = new Histogram({
    name: 'farhand_http_request_seconds',
    help: 'Time from request to answer; a stream counts until its first byte',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [this.registry],
  })
  readonly appended = new Counter({
    name: 'farhand_log_events_total',
    help: 'Events acknowledged, those sent again included',
    registers: [this.registry],
  })
  readonly readers = new Gauge({
    name: 'farhand_readers',
    help: 'Open event streams',
    registers: [this.registry],
  })

  constructor() {
    collectDefaultMetrics({ register: this.registry })
  }
}
