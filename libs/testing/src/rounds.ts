/** How often each fault happens: FAULT_REPEATS, which `npm run test:faults` sets; once in `npm test`. */
export const faultRounds = Number(process.env.FAULT_REPEATS ?? 1);

/** Lets a fault happen so often, the first time as round 1, and says which time it is when there are several. */
export async function everyRound(fault: (round: number) => Promise<unknown>): Promise<void> {
  for (let round = 1; round <= faultRounds; round += 1) {
    await fault(round);
    if (faultRounds > 1) process.stdout.write(`      ${round} of ${faultRounds}\n`);
  }
}
