"""Prints, for each file name on standard input, how many seconds FFmpeg's decoders play of it. Needs `pip install av`."""
import sys

import av


def played(path):
    seconds = 0.0
    try:
        with av.open(path) as container:
            stream = container.streams.best('audio')
            if stream is None:
                return 0.0
            for packet in container.demux(stream):
                try:
                    seconds += sum(frame.samples / frame.sample_rate for frame in packet.decode() if frame.sample_rate)
                except av.FFmpegError:
                    pass  # a damaged packet: players go on
    except (av.FFmpegError, ValueError, OSError):
        pass
    return seconds


for line in sys.stdin:
    print(f'{played(line.rstrip()):.4f}', flush=True)
