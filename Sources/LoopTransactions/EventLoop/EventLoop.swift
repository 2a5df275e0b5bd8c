/// placeholder
public final class EventLoop {}
