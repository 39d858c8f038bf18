/** The result of the work; rejects as soon as the command is asked to stop, while the work goes on. */
export function unlessStopped<Result>(stop: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stopped = () => reject(stop.reason)
    if (stop.aborted) stopped()
    stop.addEventListener('abort', stopped)
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', stopped))
  })
}
