/** The result of the work, or `late` after this time, while the work goes on. Leaves no timer behind. */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
