const boundsSeconds = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10]
const name = 'farhand_http_request_seconds'

type Times = { status: number; labels: string; count: number; sum: number; buckets: number[] }

/**
 * The duration of requests, as a Prometheus histogram. Our own, because this runs for every append: a library that looks labels up by
 * their text costs more than reading the request's body.
 */
export class RequestTimes {
  readonly #byRoute = new Map<string, Times[]>()

  observe(method: string, route: string, status: number, seconds: number): void {
    const times = this.#times(method, route, status)
    times.count++
    times.sum += seconds
    let bucket = 0
    while (bucket < boundsSeconds.length && seconds > boundsSeconds[bucket]!) bucket++
    times.buckets[bucket]!++
  }

  /** In Prometheus' text format, in which each bucket includes the smaller ones. */
  text(): string {
    const lines = [
      `# HELP ${name} Time from request to answer; a stream counts until it is open`,
      `# TYPE ${name} histogram`,
    ]
    for (const { labels, count, sum, buckets } of [...this.#byRoute.values()].flat()) {
      let total = 0
      for (const [index, bound] of [...boundsSeconds, '+Inf'].entries()) {
        total += buckets[index]!
        lines.push(`${name}_bucket{le="${bound}",${labels}} ${total}`)
      }
      lines.push(`${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${count}`)
    }
    return `${lines.join('\n')}\n`
  }

  #times(method: string, route: string, status: number): Times {
    const key = route + method
    let ofRoute = this.#byRoute.get(key)
    if (!ofRoute) {
      ofRoute = []
      this.#byRoute.set(key, ofRoute)
    }
    for (const known of ofRoute) if (known.status === status) return known
    const labels = `method="${method}",route="${route}",status="${status}"`
    const times: Times = { status, labels, count: 0, sum: 0, buckets: [...boundsSeconds, 0].fill(0) }
    ofRoute.push(times)
    return times
  }
}
