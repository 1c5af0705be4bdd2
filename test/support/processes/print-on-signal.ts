// Preloaded into a function: on SIGUSR2 it prints through every channel, then throws an error.

process.on('SIGUSR2', () => {
  const { console: printer } = globalThis;
  printer.log('%s\n%o', 'two', ['lines']);
  printer.warn('warned');
  printer.error(new Error('with a stack'));
  printer.trace('traced');
  process.emitWarning('old', 'DeprecationWarning');
  setTimeout(() => {
    throw new TypeError('thrown', { cause: new Error('cause') });
  });
});
