/** For an effect: what was asked for is taken, unless it comes when the effect is over. A failure leaves what is on the screen. */
export function takeUnlessLate<T>(asked: Promise<T>, take: (said: T) => void): () => void {
  let isOver = false;
  void asked.then(
    (said) => void (!isOver && take(said)),
    () => undefined,
  );
  return () => {
    isOver = true;
  };
}
