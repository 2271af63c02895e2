/** The process stops: the attempt unwinds, settles nothing and gives the work back (SHD-03). */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
